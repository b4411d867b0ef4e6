//! Everything that is wrong with a file, at once: what the description does not allow, and what does not go together.

use std::collections::BTreeSet;
use std::fmt;
use std::path::Path;

use toml::Spanned;
use toml::de::{DeTable, DeValue};

use super::description::{FILE, Key, Takes};
use super::mcp::store;
use super::postgres::{ACTOR, setting};
use super::read::patterns;
use super::section::{Entry, Section, list, wrong};
use super::{ConfigError, DEFAULT_SYSTEM_OBJECTS, Engine, Target, is_system_object};

/// What was found in a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    /// The line, from 1; 0 where no line says it.
    pub line: usize,
    /// How much it matters.
    pub weight: Weight,
    /// What is wrong, what is allowed, and a near match where there is one.
    pub message: String,
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let weight = if self.weight == Weight::Warning { "warning" } else { "mistake" };
        match self.line {
            0 => write!(f, "{weight}: {}", self.message),
            line => write!(f, "line {line}: {weight}: {}", self.message),
        }
    }
}

/// How much a finding matters.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Weight {
    /// The file can't be used, and its form alone shows it: an editor with the schema shows it too.
    Form,
    /// The file can't be used, because of what it means.
    Meaning,
    /// The file can be used, and something in it has no effect.
    Warning,
}

/// Everything that the text of a file shows, in the order of its lines.
pub fn findings(text: &str, base: &Path) -> Vec<Finding> {
    let (document, broken) = DeTable::parse_recoverable(text);
    let mut found = Found { source: text, findings: Vec::new() };
    if broken.is_empty() {
        found.table(Section::root(text, document.get_ref()), FILE, "", base);
        found.meaning(document.get_ref());
    }
    for error in broken {
        let message = format!("no TOML: {}.", error.message());
        found.put(Weight::Form, wrong(text, error.span().unwrap_or(0..0), message));
    }
    found.findings.sort_by_key(|finding| (finding.line, finding.weight));
    found.findings
}

/// What keeps the file from being used.
pub(super) fn mistakes(text: &str, base: &Path) -> Vec<Finding> {
    let mut findings = findings(text, base);
    findings.retain(|finding| finding.weight != Weight::Warning);
    findings
}

struct Found<'a> {
    source: &'a str,
    findings: Vec<Finding>,
}

impl<'a> Found<'a> {
    fn put(&mut self, weight: Weight, error: ConfigError) {
        if let ConfigError::Wrong { line, message, .. } = error {
            self.findings.push(Finding { line, weight, message });
        }
    }

    fn form<T>(&mut self, read: Result<T, ConfigError>) -> Option<T> {
        read.map_err(|error| self.put(Weight::Form, error)).ok()
    }

    /// A table against its keys.
    fn table(&mut self, mut section: Section<'a>, keys: &'static [Key], path: &str, base: &Path) {
        let names: Vec<&str> = keys.iter().map(|key| key.name).collect();
        for unknown in section.unknown(&names) {
            self.put(Weight::Form, unknown);
        }
        for key in keys {
            match section.get(key.name) {
                Some(entry) => self.value(&entry, &key.takes, &below(path, key.name), base),
                None if key.required => self.put(Weight::Form, section.missing(key.name, key.about)),
                None => {}
            }
        }
    }

    fn value(&mut self, entry: &Entry<'a>, takes: &'static Takes, path: &str, base: &Path) {
        match takes {
            Takes::Text => _ = self.form(entry.text()),
            Takes::Boolean => _ = self.form(entry.boolean()),
            Takes::Integer(least, most) => _ = self.form(entry.integer(*least..*most + 1)),
            Takes::Word(words) => {
                let words: Vec<(&'static str, ())> = words().into_iter().map(|word| (word, ())).collect();
                self.form(entry.word(&words));
            }
            Takes::Texts => _ = self.form(entry.texts()),
            Takes::Patterns => _ = self.form(patterns(entry)),
            Takes::Setting => _ = self.form(setting(entry)),
            Takes::Store => _ = self.form(store(entry, base)),
            Takes::Engine => {
                let engine = entry.text().and_then(|text| {
                    Engine::parse(text, base).map_err(|sentence| entry.wrong(&format!("is wrong: {sentence}")))
                });
                self.form(engine);
            }
            Takes::Table(keys) => {
                if let Some(section) = self.form(entry.section()) {
                    self.table(section.titled(format!("[{path}]")), keys, path, base);
                }
            }
            Takes::Named(_, takes) => {
                if let Some(section) = self.form(entry.section()) {
                    for (name, entry) in section.entries() {
                        self.value(&entry, takes, &below(path, &name), base);
                    }
                }
            }
        }
    }

    /// What each part allows and the whole does not. Parts of a wrong type have been told, and say nothing here.
    fn meaning(&mut self, root: &DeTable) {
        let production = self.target(root);
        let patterns = match lookup(root, &["system-objects"]) {
            Some(value) => texts(value).into_iter().map(|(text, _)| text.to_owned()).collect(),
            None => DEFAULT_SYSTEM_OBJECTS.map(str::to_owned).to_vec(),
        };
        let allow = lookup(root, &["allow"]).map(texts);
        let allowed: Option<Vec<&str>> = allow.as_ref().map(|allow| allow.iter().map(|(name, _)| *name).collect());
        let offered = |name: &str| {
            allowed.as_ref().is_none_or(|allowed| allowed.contains(&name))
                && lookup(root, &["objects", name, "exclude"]).and_then(boolean) != Some(true)
        };
        for (name, value) in allow.iter().flatten() {
            if !offered(name) {
                self.warn(
                    value,
                    format!("`allow` names `{name}`, which [objects.{name}] excludes: it stays excluded."),
                );
            }
        }
        let mut names = BTreeSet::new();
        for (name, object) in tables(root, "objects") {
            self.object(name, object, root, production, &mut names);
            if is_system_object(&patterns, name) {
                self.mean(
                    object,
                    format!("[objects.{name}] has no effect: `system-objects` keeps every tool from it."),
                );
            } else if !offered(name) && !only_excludes(object) {
                self.warn(object, format!("[objects.{name}] has no effect: no tool is offered this object."));
            }
        }
        self.logs(root, &patterns, offered);
        self.auth(root);
        if let Some(value) = lookup(root, &["postgres", "system-role"])
            && text(value).is_some_and(|role| role.contains(ACTOR))
        {
            self.mean(value, format!("`system-role` can't hold `{ACTOR}`: the system is no user."));
        }
        self.tools(root);
    }

    /// Whether it is production.
    fn target(&mut self, root: &DeTable) -> bool {
        let production = lookup(root, &["target", "production"]);
        let environment = lookup(root, &["target", "environment"]);
        let named = environment.and_then(text).is_some_and(Target::is_production);
        if let Some(value) = production.filter(|value| named && boolean(value) == Some(false)) {
            self.mean(value, "`production` can't be false in an environment that is called production.".to_owned());
        }
        if let Some(value) = environment.filter(|value| text(value).is_some_and(|text| text.contains(['"', '[', ']'])))
        {
            self.mean(
                value,
                "`environment` has a quote or a bracket: use a plain word, since it stands in questions.".to_owned(),
            );
        }
        named || production.and_then(boolean) == Some(true)
    }

    fn object<'t>(
        &mut self,
        name: &str,
        object: &'t Spanned<DeValue<'t>>,
        root: &'t DeTable<'t>,
        production: bool,
        aliases: &mut BTreeSet<&'t str>,
    ) {
        let within = |key: &str| table(object).and_then(|table| lookup(table, &[key]));
        if let Some(value) = within("consent").filter(|value| production && text(value) == Some("none")) {
            self.mean(
                value,
                format!(
                    "[objects.{name}] `consent` can't be none in production. Allowed: {}.",
                    list(&["attest", "accept", "typed"])
                ),
            );
        }
        if let Some(value) = within("alias")
            && let Some(alias) = text(value)
        {
            let taken = alias != name
                && lookup(root, &["objects", alias])
                    .is_some_and(|other| table(other).is_some_and(|other| lookup(other, &["alias"]).is_none()));
            if alias == name {
                self.warn(value, format!("`alias` has no effect: `{name}` is called so already."));
            } else if taken || !aliases.insert(alias) {
                self.mean(value, format!("`alias` must be another name: `{alias}` is what another object is called."));
            }
        }
        let mut seen = BTreeSet::new();
        for (column, value) in within("aliases").and_then(table).into_iter().flat_map(entries) {
            match text(value) {
                Some(alias) if alias == column => {
                    self.warn(value, format!("`aliases` has no effect for `{column}`: it is called so already."));
                }
                Some(alias) if !seen.insert(alias) => {
                    self.mean(value, format!("`aliases` gives two columns the name `{alias}`."));
                }
                _ => {}
            }
        }
        let mut seen = BTreeSet::new();
        for (field, value) in within("scope").map(texts).unwrap_or_default() {
            if !seen.insert(field) {
                self.mean(value, format!("`scope` has `{field}` twice."));
            }
        }
    }

    fn logs(&mut self, root: &DeTable, patterns: &[String], offered: impl Fn(&str) -> bool) {
        for (name, log) in tables(root, "logs") {
            let within = |key: &str| table(log).and_then(|table| lookup(table, &[key]));
            let mut seen = BTreeSet::new();
            for key in ["scope", "time", "kind", "subject", "tags"] {
                if let Some(value) = within(key)
                    && let Some(column) = text(value)
                    && !seen.insert(column)
                {
                    self.mean(
                        value,
                        format!("[logs.{name}] `{key}` is `{column}`, which is something else of this log already."),
                    );
                }
            }
            if let Some(value) = within("object")
                && let Some(object) = text(value)
            {
                if is_system_object(patterns, object) {
                    self.mean(
                        value,
                        format!("[logs.{name}] has no effect: `system-objects` keeps every tool from `{object}`."),
                    );
                } else if !offered(object) {
                    self.warn(value, format!("[logs.{name}] has no effect: no tool is offered `{object}`."));
                }
            }
        }
    }

    /// What verifies a token: one source of keys.
    fn auth(&mut self, root: &DeTable) {
        let Some((_, auth)) = entries(root).find(|(name, _)| *name == "auth") else { return };
        if lookup(root, &["auth", "jwks"]).is_some() == lookup(root, &["auth", "secret"]).is_some() {
            self.mean(auth, format!("[auth] needs one of {}: what verifies a token.", list(&["jwks", "secret"])));
        }
    }

    fn tools(&mut self, root: &DeTable) {
        let on = |tool: &str| lookup(root, &["tools", tool]);
        let log = tables(root, "logs").next();
        match (on("delete_events"), log) {
            (Some(value), None) if boolean(value) == Some(true) => self.warn(
                value,
                "`delete_events` has no effect: no log is configured. Add [logs.NAME] with `object`, `scope` and `time`.".to_owned(),
            ),
            (Some(value), Some((name, log))) if boolean(value) == Some(false) => {
                let line = line(self.source, value);
                self.warn(log, format!("[logs.{name}] has no effect: `delete_events` is off (line {line})."));
            }
            _ => {}
        }
        let deletes = ["delete_records", "delete_record"];
        let off = |tool: &&str| on(tool).and_then(boolean) == Some(false);
        if deletes.iter().all(off)
            && (log.is_none() || off(&"delete_events"))
            && let Some(value) = lookup(root, &["tools"])
        {
            self.warn(value, "[tools] switches every tool off that deletes: nothing can be deleted.".to_owned());
        }
    }

    fn mean(&mut self, at: &Spanned<DeValue>, message: String) {
        self.put(Weight::Meaning, wrong(self.source, at.span(), message));
    }

    fn warn(&mut self, at: &Spanned<DeValue>, message: String) {
        self.put(Weight::Warning, wrong(self.source, at.span(), message));
    }
}

/// The line of a key, or of the nearest table around it; 0 where the file has none of them.
pub(super) fn place(text: &str, path: &[&str]) -> usize {
    let (document, _) = DeTable::parse_recoverable(text);
    let within = |length: usize| lookup(document.get_ref(), &path[..length]).map(|value| line(text, value));
    (1..=path.len()).rev().find_map(within).unwrap_or(0)
}

/// The line that a value stands in.
fn line(source: &str, value: &Spanned<DeValue>) -> usize {
    match wrong(source, value.span(), String::new()) {
        ConfigError::Wrong { line, .. } => line,
        ConfigError::Unreadable { .. } => 0,
    }
}

fn below(path: &str, name: &str) -> String {
    if path.is_empty() { name.to_owned() } else { format!("{path}.{name}") }
}

/// An entry of `[objects]` that says no more than that the object is excluded.
fn only_excludes(object: &Spanned<DeValue>) -> bool {
    table(object).is_some_and(|table| entries(table).all(|(key, _)| key == "exclude"))
}

fn lookup<'t>(table: &'t DeTable<'t>, path: &[&str]) -> Option<&'t Spanned<DeValue<'t>>> {
    let (first, rest) = path.split_first()?;
    let value = entries(table).find(|(name, _)| name == first).map(|(_, value)| value)?;
    if rest.is_empty() { Some(value) } else { lookup(self::table(value)?, rest) }
}

fn entries<'t>(table: &'t DeTable<'t>) -> impl Iterator<Item = (&'t str, &'t Spanned<DeValue<'t>>)> {
    table.iter().map(|(name, value)| (name.get_ref().as_ref(), value))
}

/// The entries of one of the file's tables.
fn tables<'t>(root: &'t DeTable<'t>, name: &str) -> impl Iterator<Item = (&'t str, &'t Spanned<DeValue<'t>>)> {
    lookup(root, &[name]).and_then(table).into_iter().flat_map(entries)
}

fn table<'t>(value: &'t Spanned<DeValue<'t>>) -> Option<&'t DeTable<'t>> {
    match value.get_ref() {
        DeValue::Table(table) => Some(table),
        _ => None,
    }
}

fn text<'t>(value: &'t Spanned<DeValue<'t>>) -> Option<&'t str> {
    match value.get_ref() {
        DeValue::String(text) => Some(text),
        _ => None,
    }
}

fn boolean(value: &Spanned<DeValue>) -> Option<bool> {
    match value.get_ref() {
        DeValue::Boolean(value) => Some(*value),
        _ => None,
    }
}

fn texts<'t>(value: &'t Spanned<DeValue<'t>>) -> Vec<(&'t str, &'t Spanned<DeValue<'t>>)> {
    match value.get_ref() {
        DeValue::Array(values) => values.iter().filter_map(|value| Some((text(value)?, value))).collect(),
        _ => Vec::new(),
    }
}
