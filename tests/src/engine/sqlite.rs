//! SQLite: the fixture's tables as a database, its locks as triggers, its tests as the configuration's predicates.

use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};

use anyhow::{Context, bail, ensure};
use deletegate::bridge::memory::{Change, Counts, Object, RefusalText, Row, Tables, Test, Value, Verdict};
use deletegate::bridge::sqlite::Sqlite;
use deletegate::bridge::{Bridge, Effect, FieldType};
use deletegate::config::{Config, ObjectConfig};
use rusqlite::Connection;
use rusqlite::config::DbConfig;
use rusqlite::types::{ToSql, ToSqlOutput, ValueRef};
use serde_json::{Map, Value as Json};
use tempfile::TempDir;

use super::Engine;
use crate::case::Caller;

/// What says that a record of an object that can be restored is gone.
const MARK: &str = "deleted at";

pub(super) struct InFile {
    sqlite: Sqlite,
    /// Somebody else's connection, past every rule.
    other: Mutex<Connection>,
    tables: Tables,
    _folder: TempDir,
}

impl InFile {
    pub(super) fn new(tables: &Tables) -> anyhow::Result<Self> {
        let folder = tempfile::tempdir()?;
        let path = folder.path().join("fixture.db");
        let connection = Connection::open(&path)?;
        // The file lives as long as its case, so nothing is gained by waiting for the disk.
        connection.pragma_update(None, "synchronous", "OFF")?;
        // Tables come in the order of their names, parents or not.
        connection.pragma_update(None, "foreign_keys", false)?;
        let mut config = Config::default();
        can_have(tables)?;
        for (name, object) in &tables.objects {
            connection.execute_batch(&create(name, object, tables)?).with_context(|| format!("table {name:?}"))?;
            for row in &object.rows {
                insert(&connection, name, row)?;
            }
            connection.execute_batch(&trigger(name, object)?).with_context(|| format!("rules of {name:?}"))?;
            if object.hidden {
                config.system_objects.push(name.clone());
            } else {
                config.objects.insert(name.clone(), configured(object));
            }
        }
        connection.set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_TRIGGER, false)?;
        connection.pragma_update(None, "foreign_keys", false)?;
        let sqlite = Sqlite::open(&path, &config)?;
        Ok(InFile { sqlite, other: Mutex::new(connection), tables: tables.clone(), _folder: folder })
    }
}

/// What SQLite can't do with any table. What the configuration can't say of a single one (verbs denied, fields
/// withheld) is left out, and the cases about it stand in `differences.json`.
fn can_have(tables: &Tables) -> anyhow::Result<()> {
    ensure!(tables.page.is_none(), "SQLite has no pages of its own");
    ensure!(tables.revisions != Some(false), "SQLite always has revisions");
    ensure!(tables.counts == Counts::Exact, "SQLite counts to the end");
    ensure!(!tables.dependents_unknown, "SQLite can tell what depends on a record");
    ensure!(tables.narrowing.is_none(), "SQLite has no delegated callers");
    Ok(())
}

fn create(name: &str, object: &Object, tables: &Tables) -> anyhow::Result<String> {
    let mut parts = Vec::new();
    for field in &object.fields {
        let null = if field.nullable { "" } else { " NOT NULL" };
        parts.push(format!("{} {}{null}", quoted(&field.name), declared(field.kind)));
    }
    if object.reversible {
        parts.push(format!("{} TIMESTAMP", quoted(MARK)));
    }
    parts.push(format!("PRIMARY KEY ({})", columns(&object.key)));
    for reference in &object.references {
        let parent = tables.objects.get(&reference.object).context("a foreign key to nothing")?;
        let effect = match reference.on_delete {
            Effect::Cascade => "CASCADE",
            Effect::Restrict => "RESTRICT",
            Effect::Detach => "SET NULL",
        };
        parts.push(format!(
            "FOREIGN KEY ({}) REFERENCES {} ({}) ON DELETE {effect}",
            columns(&reference.fields),
            quoted(&reference.object),
            columns(&parent.key)
        ));
    }
    Ok(format!("CREATE TABLE {} ({});", quoted(name), parts.join(", ")))
}

/// A declared type that the bridge reads as this one.
fn declared(kind: FieldType) -> &'static str {
    match kind {
        FieldType::Boolean => "BOOLEAN",
        // Not INTEGER: as a key that is another name of the row's number, and holds nothing else.
        FieldType::Integer => "BIGINT",
        FieldType::Decimal => "DECIMAL",
        FieldType::Float => "REAL",
        FieldType::Text => "TEXT",
        FieldType::Uuid => "UUID",
        FieldType::Date => "DATE",
        FieldType::Instant => "TIMESTAMP",
        FieldType::TextList | FieldType::Opaque => "JSON",
    }
}

/// One trigger for all rules, since SQLite promises no order of triggers.
fn trigger(name: &str, object: &Object) -> anyhow::Result<String> {
    let mut cases = Vec::new();
    for lock in &object.locks {
        let says = match &lock.answer {
            Verdict::Kept => "RAISE(IGNORE)".to_owned(),
            Verdict::Refused(RefusalText { code, status, reason, retryable: false }) => {
                format!("RAISE(ABORT, {})", text(&format!("{code} {status}: {reason}")))
            }
            other => bail!("no trigger of SQLite answers {other:?}"),
        };
        let values = lock.values.iter().map(literal).collect::<anyhow::Result<Vec<_>>>()?.join(", ");
        cases.push(format!("WHEN OLD.{} IN ({values}) THEN {says}", quoted(&lock.field)));
    }
    if cases.is_empty() {
        return Ok(String::new());
    }
    let (trigger, table) = (quoted(&format!("rules of {name}")), quoted(name));
    Ok(format!("CREATE TRIGGER {trigger} BEFORE DELETE ON {table} BEGIN SELECT CASE {} END; END;", cases.join(" ")))
}

fn configured(object: &Object) -> ObjectConfig {
    let lists = object.fields.iter().filter(|field| field.kind == FieldType::TextList);
    ObjectConfig {
        label: object.label.clone(),
        visible: predicate(&object.visible),
        removable: predicate(&object.removable),
        soft_delete: object.reversible.then(|| MARK.to_owned()),
        fields: lists.map(|field| (field.name.clone(), FieldType::TextList)).collect(),
        ..ObjectConfig::default()
    }
}

/// The tests as one condition; none where there is none.
fn predicate(tests: &[Test]) -> Option<String> {
    let value = |value: &Value| match value {
        Value::Text(actor) if actor == ":actor" => ":actor".to_owned(),
        // A fixture's tests are over texts, numbers and booleans.
        other => literal(other).expect("a test is over plain values"),
    };
    let test = |test: &Test| match test {
        Test::Field { field, values } => {
            format!("{} IN ({})", quoted(field), values.iter().map(value).collect::<Vec<_>>().join(", "))
        }
        Test::Actor { actors } => {
            format!(":actor IN ({})", actors.iter().map(|id| text(id)).collect::<Vec<_>>().join(", "))
        }
    };
    (!tests.is_empty()).then(|| tests.iter().map(test).collect::<Vec<_>>().join(" OR "))
}

fn insert(connection: &Connection, table: &str, row: &Row) -> anyhow::Result<()> {
    let names: Vec<String> = row.keys().cloned().collect();
    let places = vec!["?"; names.len()].join(", ");
    let sql = format!("INSERT INTO {} ({}) VALUES ({places})", quoted(table), columns(&names));
    connection.execute(&sql, rusqlite::params_from_iter(row.values().map(Bound)))?;
    Ok(())
}

/// A value as it is stored.
struct Bound<'a>(&'a Value);

impl ToSql for Bound<'_> {
    fn to_sql(&self) -> rusqlite::Result<ToSqlOutput<'_>> {
        Ok(match self.0 {
            Value::Null => ToSqlOutput::Borrowed(ValueRef::Null),
            Value::Boolean(value) => i64::from(*value).into(),
            Value::Integer(value) => (*value).into(),
            Value::Float(value) => (*value).into(),
            Value::Text(value) => value.as_str().into(),
            Value::List(entries) => Json::from(entries.clone()).to_string().into(),
        })
    }
}

fn literal(value: &Value) -> anyhow::Result<String> {
    Ok(match value {
        Value::Boolean(value) => i64::from(*value).to_string(),
        Value::Integer(value) => value.to_string(),
        Value::Text(value) => text(value),
        other => bail!("{other:?} stands in no rule over SQLite"),
    })
}

fn columns(names: &[String]) -> String {
    names.iter().map(|name| quoted(name)).collect::<Vec<_>>().join(", ")
}

fn quoted(name: &str) -> String {
    format!("\"{}\"", name.replace('"', "\"\""))
}

fn text(text: &str) -> String {
    format!("'{}'", text.replace('\'', "''"))
}

impl Engine for InFile {
    fn bridge(&self, caller: &Caller) -> Box<dyn Bridge> {
        Box::new(self.sqlite.bridge(&deletegate::identity::Caller::new(caller.actor.as_deref(), caller.system)))
    }

    fn apply(&self, change: &Change) -> anyhow::Result<()> {
        let connection = self.other.lock().unwrap_or_else(PoisonError::into_inner);
        let equal = |row: &Row, join: &str| {
            row.keys().map(|name| format!("{} = ?", quoted(name))).collect::<Vec<_>>().join(join)
        };
        let changed = match change {
            Change::Insert { object, row } => return insert(&connection, object, row),
            Change::Update { object, key, set } => {
                let (what, which) = (equal(set, ", "), equal(key, " AND "));
                let values = set.values().chain(key.values()).map(Bound);
                let sql = format!("UPDATE {} SET {what} WHERE {which}", quoted(object));
                connection.execute(&sql, rusqlite::params_from_iter(values))?
            }
            Change::Delete { object, key } => {
                let sql = format!("DELETE FROM {} WHERE {}", quoted(object), equal(key, " AND "));
                connection.execute(&sql, rusqlite::params_from_iter(key.values().map(Bound)))?
            }
        };
        ensure!(changed == 1, "{change:?} reached {changed} records");
        Ok(())
    }

    fn left(&self) -> anyhow::Result<BTreeMap<String, Json>> {
        let connection = self.other.lock().unwrap_or_else(PoisonError::into_inner);
        self.tables.objects.iter().map(|(name, object)| Ok((name.clone(), ids(&connection, name, object)?))).collect()
    }
}

/// The ids in the order of the key. A key that does not fit its type is none: the type of what is stored tells.
fn ids(connection: &Connection, name: &str, object: &Object) -> anyhow::Result<Json> {
    let key = columns(&object.key);
    let there = if object.reversible { format!(" WHERE {} IS NULL", quoted(MARK)) } else { String::new() };
    let mut statement = connection.prepare(&format!("SELECT {key} FROM {}{there} ORDER BY {key}", quoted(name)))?;
    let mut rows = statement.query([])?;
    let mut ids = Vec::new();
    while let Some(row) = rows.next()? {
        let mut parts = Map::new();
        for (at, part) in object.key.iter().enumerate() {
            let kind = object.field(part).map(|field| field.kind);
            match (kind, row.get_ref(at)?) {
                (Some(FieldType::Integer), ValueRef::Integer(value)) => {
                    parts.insert(part.clone(), Json::from(value.to_string()));
                }
                (Some(FieldType::Text | FieldType::Uuid), value @ ValueRef::Text(_)) => {
                    parts.insert(part.clone(), Json::from(value.as_str()?));
                }
                _ => {}
            }
        }
        if parts.len() == object.key.len() {
            let only = parts.values().next().cloned().unwrap_or_default();
            ids.push(if parts.len() == 1 { only } else { Json::Object(parts) });
        }
    }
    Ok(Json::Array(ids))
}
