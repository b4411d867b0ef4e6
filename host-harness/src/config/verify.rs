//! What only the database can tell of a configuration: tables and columns that are not there, SQL that is none.
//!
//! Opening the database with the configuration tells the first of these; this tells them all. What keeps it from being
//! opened is a mistake, and what merely has no effect a warning.

use super::check::{Finding, Weight, place};
use super::section::nearest;
use super::{Config, Engine, LogConfig, ObjectConfig};
use crate::bridge::{Access, Database, FieldType, OpenError};

use std::collections::BTreeMap;

/// Looks at a database with a configuration that has no mistake of its own.
///
/// # Errors
/// The database can't be opened at all.
pub async fn verify(text: &str, config: &Config, engine: &Engine) -> Result<Vec<Finding>, OpenError> {
    // Only what is there without the file's help, and under its own names.
    let bare = Config { engine: None, objects: BTreeMap::new(), allow: None, logs: BTreeMap::new(), ..config.clone() };
    let database = Database::open(engine, &bare).await?;
    let objects = database.objects().await?;
    let troubles = database.role_troubles(config).await?;
    let mut look = Look { text, config, engine, bare, objects, database, findings: Vec::new() };
    for (key, why) in troubles {
        look.put(
            Weight::Meaning,
            &["postgres", key],
            format!("[postgres] `{key}`: the server does not let this program act as that role: {why}."),
        );
    }
    for (name, object) in &config.objects {
        look.object(name, object).await;
    }
    for name in config.allow.iter().flatten() {
        if !look.objects.contains(name) && !config.objects.contains_key(name) {
            let near = look.near_object(name);
            look.put(
                Weight::Warning,
                &["allow"],
                format!("`allow` names `{name}`, which the database does not have.{near}"),
            );
        }
    }
    for (name, log) in &config.logs {
        look.log(name, log).await;
    }
    if look.findings.iter().all(|finding| finding.weight == Weight::Warning) {
        match Database::open(engine, config).await {
            Err(error) => look.put(Weight::Meaning, &[], error.to_string()),
            Ok(database) => {
                // The database may say that it is production, and not everything is allowed there.
                let mut there = config.clone();
                database.say_where(&mut there);
                let settings = there.settings(database.objects().await?, None);
                for wrong in delete_records::check_settings(&settings) {
                    look.put(
                        Weight::Meaning,
                        &[],
                        format!("Where the database says it is, this can't be used: {wrong}"),
                    );
                }
            }
        }
    }
    Ok(look.findings)
}

struct Look<'a> {
    text: &'a str,
    config: &'a Config,
    engine: &'a Engine,
    bare: Config,
    /// Every object of the database, by its own name.
    objects: Vec<String>,
    database: Database,
    findings: Vec<Finding>,
}

impl Look<'_> {
    fn put(&mut self, weight: Weight, path: &[&str], message: String) {
        self.findings.push(Finding { line: place(self.text, path), weight, message });
    }

    fn near_object(&self, name: &str) -> String {
        let names: Vec<&str> = self.objects.iter().map(String::as_str).collect();
        hint(nearest(name, &names))
    }

    async fn access(&self, name: &str) -> Option<Access> {
        self.database.declared(name).await
    }

    async fn object(&mut self, name: &str, object: &ObjectConfig) {
        if self.config.is_system_object(name) {
            return;
        }
        let Some(access) = self.access(name).await else {
            // With types for its columns it may have a key.
            let typed =
                ObjectConfig { fields: object.fields.clone(), exclude: object.exclude, ..ObjectConfig::default() };
            if let Err(error) = self.open(name, typed).await {
                self.put(Weight::Meaning, &["objects", name], error.to_string());
            }
            return;
        };
        let columns: Vec<String> = access.fields.iter().map(|field| field.name.clone()).collect();
        let named = [("label", object.label.iter().collect()), ("revision", object.revision.iter().collect())];
        let keyed: [(&str, Vec<&String>); 3] = [
            ("scope", object.scope.iter().collect()),
            ("fields", object.fields.keys().collect()),
            ("aliases", object.aliases.keys().collect()),
        ];
        for (key, wanted) in named.into_iter().chain(keyed) {
            for column in wanted {
                self.column(
                    &["objects", name, key],
                    &format!("[objects.{name}] `{key}`"),
                    column,
                    &columns,
                    Weight::Meaning,
                );
            }
        }
        self.aliases(name, object, &columns);
        for (key, predicate) in [("visible", &object.visible), ("removable", &object.removable)] {
            let mut alone = ObjectConfig::default();
            match key {
                "visible" => alone.visible.clone_from(predicate),
                _ => alone.removable.clone_from(predicate),
            }
            if predicate.is_some()
                && let Err(error) = self.open(name, alone).await
            {
                self.put(Weight::Meaning, &["objects", name, key], error.to_string());
            }
        }
    }

    fn aliases(&mut self, name: &str, object: &ObjectConfig, columns: &[String]) {
        let names = self.config.names();
        if let Some(alias) = object.alias.as_deref().filter(|alias| *alias != name)
            && self.objects.iter().any(|other| other == alias && names.object(other) == alias)
        {
            let message = format!("[objects.{name}] `alias`: there is another object `{alias}`.");
            self.put(Weight::Meaning, &["objects", name, "alias"], message);
        }
        for (column, alias) in &object.aliases {
            if column != alias && columns.iter().any(|other| other == alias && names.field(name, other) == alias) {
                let message = format!("[objects.{name}] `aliases`: there is another column `{alias}`.");
                self.put(Weight::Meaning, &["objects", name, "aliases", column], message);
            }
        }
    }

    async fn log(&mut self, name: &str, log: &LogConfig) {
        if self.config.is_system_object(&log.object) {
            return;
        }
        let Some(access) = self.access(&log.object).await else {
            if !self.config.objects.contains_key(&log.object) {
                let near = self.near_object(&log.object);
                let message =
                    format!("[logs.{name}] has no effect: the database has no object `{}`.{near}", log.object);
                self.put(Weight::Warning, &["logs", name, "object"], message);
            }
            return;
        };
        let columns: Vec<String> = access.fields.iter().map(|field| field.name.clone()).collect();
        let own = self.config.objects.get(&log.object).map(|object| object.fields.clone()).unwrap_or_default();
        let parts = [
            ("scope", Some(&log.scope), None),
            ("time", Some(&log.time), Some((FieldType::Instant, "instant"))),
            ("kind", log.kind.as_ref(), None),
            ("subject", log.subject.as_ref(), None),
            ("tags", log.tags.as_ref(), Some((FieldType::TextList, "text-list"))),
        ];
        for (key, column, wanted) in parts {
            let Some(column) = column else { continue };
            let path = ["logs", name, key];
            if !self.column(&path, &format!("[logs.{name}] `{key}`"), column, &columns, Weight::Warning) {
                continue;
            }
            let declared = access.fields.iter().find(|field| field.name == *column).map(|field| field.type_);
            let type_ = own.get(column).copied().or(declared);
            if let Some((wanted, word)) = wanted
                && type_ != Some(wanted)
            {
                let message = format!(
                    "[logs.{name}] `{key}` is no {word}, so a call with it is refused. Where `{column}` holds one, say so: \
                     [objects.{}] fields = {{ {column} = \"{word}\" }}.",
                    log.object
                );
                self.put(Weight::Warning, &path, message);
            }
        }
    }

    /// Whether a column is there; where it is not, that is put down.
    fn column(&mut self, path: &[&str], title: &str, column: &str, columns: &[String], weight: Weight) -> bool {
        let names: Vec<&str> = columns.iter().map(String::as_str).collect();
        if names.contains(&column) {
            return true;
        }
        let near = hint(nearest(column, &names));
        self.put(weight, path, format!("{title}: the table has no column `{column}`.{near}"));
        false
    }

    /// Opens the database with so much of one object's configuration.
    async fn open(&self, name: &str, object: ObjectConfig) -> Result<(), OpenError> {
        let objects = BTreeMap::from([(name.to_owned(), object)]);
        Database::open(self.engine, &Config { objects, ..self.bare.clone() }).await.map(drop)
    }
}

fn hint(near: Option<&str>) -> String {
    near.map(|name| format!(" Did you mean `{name}`?")).unwrap_or_default()
}
