//! Everything that is wrong with a file, at once: what the description does not allow, and what does not go together.

use std::fmt;
use std::path::Path;

use toml::Spanned;
use toml::de::{DeTable, DeValue};

use super::description::{FILE, Key, Takes};
use super::mcp::store;
use super::postgres::setting;
use super::read::patterns;
use super::section::{Entry, Section, wrong};
use super::{ConfigError, Engine};

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

pub(super) struct Found<'a> {
    pub source: &'a str,
    pub findings: Vec<Finding>,
}

impl<'a> Found<'a> {
    pub fn put(&mut self, weight: Weight, error: ConfigError) {
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
}

/// The line of a key, or of the nearest table around it; 0 where the file has none of them.
pub(super) fn place(text: &str, path: &[&str]) -> usize {
    let (document, _) = DeTable::parse_recoverable(text);
    let within = |length: usize| lookup(document.get_ref(), &path[..length]).map(|value| line(text, value));
    (1..=path.len()).rev().find_map(within).unwrap_or(0)
}

/// The line that a value stands in.
pub(super) fn line(source: &str, value: &Spanned<DeValue>) -> usize {
    match wrong(source, value.span(), String::new()) {
        ConfigError::Wrong { line, .. } => line,
        ConfigError::Unreadable { .. } => 0,
    }
}

fn below(path: &str, name: &str) -> String {
    if path.is_empty() { name.to_owned() } else { format!("{path}.{name}") }
}

pub(super) fn lookup<'t>(table: &'t DeTable<'t>, path: &[&str]) -> Option<&'t Spanned<DeValue<'t>>> {
    let (first, rest) = path.split_first()?;
    let value = entries(table).find(|(name, _)| name == first).map(|(_, value)| value)?;
    if rest.is_empty() { Some(value) } else { lookup(self::table(value)?, rest) }
}

pub(super) fn entries<'t>(table: &'t DeTable<'t>) -> impl Iterator<Item = (&'t str, &'t Spanned<DeValue<'t>>)> {
    table.iter().map(|(name, value)| (name.get_ref().as_ref(), value))
}

/// The entries of one of the file's tables.
pub(super) fn tables<'t>(
    root: &'t DeTable<'t>,
    name: &str,
) -> impl Iterator<Item = (&'t str, &'t Spanned<DeValue<'t>>)> {
    lookup(root, &[name]).and_then(table).into_iter().flat_map(entries)
}

pub(super) fn table<'t>(value: &'t Spanned<DeValue<'t>>) -> Option<&'t DeTable<'t>> {
    match value.get_ref() {
        DeValue::Table(table) => Some(table),
        _ => None,
    }
}

pub(super) fn text<'t>(value: &'t Spanned<DeValue<'t>>) -> Option<&'t str> {
    match value.get_ref() {
        DeValue::String(text) => Some(text),
        _ => None,
    }
}

pub(super) fn boolean(value: &Spanned<DeValue>) -> Option<bool> {
    match value.get_ref() {
        DeValue::Boolean(value) => Some(*value),
        _ => None,
    }
}

pub(super) fn texts<'t>(value: &'t Spanned<DeValue<'t>>) -> Vec<(&'t str, &'t Spanned<DeValue<'t>>)> {
    match value.get_ref() {
        DeValue::Array(values) => values.iter().filter_map(|value| Some((text(value)?, value))).collect(),
        _ => Vec::new(),
    }
}
