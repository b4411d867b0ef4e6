//! One table of the file, read key by key. What was never asked for is unknown, so the list of allowed keys can't
//! drift from what is read.

use std::ops::Range;

use toml::Spanned;
use toml::de::{DeTable, DeValue};

use super::ConfigError;

/// A table, and which of its keys have been asked for.
pub(super) struct Section<'a> {
    /// The file's text, for line numbers.
    source: &'a str,
    /// As it stands in the file, for example `[objects.crm_task]`.
    title: String,
    /// Where the table begins.
    span: Range<usize>,
    table: &'a DeTable<'a>,
    asked: Vec<&'static str>,
}

/// A value, with its place in the file.
pub(super) struct Entry<'a> {
    source: &'a str,
    /// What messages call it.
    pub name: String,
    value: &'a Spanned<DeValue<'a>>,
}

impl<'a> Section<'a> {
    pub fn root(source: &'a str, table: &'a DeTable<'a>) -> Section<'a> {
        Section { source, title: "the file".to_owned(), span: 0..0, table, asked: Vec::new() }
    }

    /// The value of a key, where it is given.
    pub fn get(&mut self, key: &'static str) -> Option<Entry<'a>> {
        self.asked.push(key);
        let (_, value) = self.table.iter().find(|(name, _)| name.get_ref() == key)?;
        Some(Entry { source: self.source, name: format!("`{key}`"), value })
    }

    /// Every key with its value, for a table whose keys are names of the owner's.
    pub fn entries(self) -> impl Iterator<Item = (String, Entry<'a>)> {
        self.table.iter().map(move |(name, value)| {
            let name = name.get_ref().to_string();
            (name.clone(), Entry { source: self.source, name: format!("`{name}`"), value })
        })
    }

    /// A title for messages other than the key's own.
    pub fn titled(mut self, title: String) -> Section<'a> {
        self.title = title;
        self
    }

    /// Refuses the keys that nobody asked for.
    pub fn finish(self) -> Result<(), ConfigError> {
        self.unknown(&self.asked).into_iter().next().map_or(Ok(()), Err)
    }

    /// What is wrong with the keys that are none of these.
    pub fn unknown(&self, allowed: &[&str]) -> Vec<ConfigError> {
        let unknown = self.table.keys().filter(|name| !allowed.iter().any(|key| name.get_ref() == key));
        let sentence = |name: &str| {
            let near = nearest(name, allowed).map(|key| format!(" Did you mean `{key}`?")).unwrap_or_default();
            format!("{} has no key `{name}`.{near} Allowed: {}.", self.title, list(allowed))
        };
        unknown.map(|name| wrong(self.source, name.span(), sentence(name.get_ref()))).collect()
    }

    /// A key that the table needs is not there.
    pub fn missing(&self, key: &str, about: &str) -> ConfigError {
        wrong(self.source, self.span.clone(), format!("{} needs `{key}`. {about}", self.title))
    }
}

impl<'a> Entry<'a> {
    /// A text that says something.
    pub fn text(&self) -> Result<&'a str, ConfigError> {
        match self.value.get_ref() {
            DeValue::String(text) if !text.trim().is_empty() => Ok(text),
            DeValue::String(_) => Err(self.wrong("must not be empty; leave it out instead")),
            _ => Err(self.wrong("must be a text in quotes")),
        }
    }

    pub fn boolean(&self) -> Result<bool, ConfigError> {
        match self.value.get_ref() {
            DeValue::Boolean(value) => Ok(*value),
            _ => Err(self.wrong("must be true or false, without quotes")),
        }
    }

    pub fn integer(&self, allowed: Range<u32>) -> Result<u32, ConfigError> {
        let value = match self.value.get_ref() {
            DeValue::Integer(digits) => u32::from_str_radix(digits.as_str(), digits.radix()).ok(),
            _ => None,
        };
        value
            .filter(|value| allowed.contains(value))
            .ok_or_else(|| self.wrong(&format!("must be a whole number, {} to {}", allowed.start, allowed.end - 1)))
    }

    pub fn texts(&self) -> Result<Vec<String>, ConfigError> {
        let DeValue::Array(values) = self.value.get_ref() else {
            return Err(self.wrong("must be a list of texts, for example [\"project_id\"]"));
        };
        values
            .iter()
            .map(|value| {
                Entry { source: self.source, name: format!("an entry of {}", self.name), value }
                    .text()
                    .map(str::to_owned)
            })
            .collect()
    }

    /// One of a few words.
    pub fn word<T: Copy>(&self, allowed: &[(&'static str, T)]) -> Result<T, ConfigError> {
        let words: Vec<&'static str> = allowed.iter().map(|(word, _)| *word).collect();
        let given = match self.value.get_ref() {
            DeValue::String(text) => text.as_ref(),
            _ => return Err(self.wrong(&format!("must be one of {}, in quotes", list(&words)))),
        };
        match allowed.iter().find(|(word, _)| *word == given) {
            Some((_, value)) => Ok(*value),
            None => {
                let near = nearest(given, &words).map(|word| format!(" Did you mean `{word}`?"));
                let expected = format!("can't be `{given}`.{} Allowed: {}", near.unwrap_or_default(), list(&words));
                Err(self.wrong(&expected))
            }
        }
    }

    pub fn section(&self) -> Result<Section<'a>, ConfigError> {
        match self.value.get_ref() {
            DeValue::Table(table) => {
                let (source, title, span) = (self.source, self.name.clone(), self.value.span());
                Ok(Section { source, title, span, table, asked: Vec::new() })
            }
            _ => Err(self.wrong("must be a table")),
        }
    }

    /// The value is not what it must be.
    pub fn wrong(&self, expected: &str) -> ConfigError {
        wrong(self.source, self.value.span(), format!("{} {expected}.", self.name))
    }
}

/// An error at a place of the file.
pub(super) fn wrong(source: &str, span: Range<usize>, message: String) -> ConfigError {
    let line = 1 + source.bytes().take(span.start).filter(|byte| *byte == b'\n').count();
    ConfigError::Wrong { path: None, line, message }
}

pub(super) fn list(words: &[&str]) -> String {
    words.iter().map(|word| format!("`{word}`")).collect::<Vec<_>>().join(", ")
}

/// The allowed word that is nearest to a wrong one, where one is near enough: two changes, or a third of a longer
/// word.
pub(crate) fn nearest<'w>(wrong: &str, allowed: &[&'w str]) -> Option<&'w str> {
    let bound = (wrong.chars().count() / 3).max(2);
    allowed
        .iter()
        .map(|word| (strsim::levenshtein(&wrong.to_lowercase(), &word.to_lowercase()), *word))
        .filter(|(distance, _)| *distance <= bound)
        .min_by_key(|(distance, _)| *distance)
        .map(|(_, word)| word)
}
