//! Changing one key of a file, with everything else in it, comments too, as it was.

use std::path::Path;

use toml_edit::{DocumentMut, Item, Key, Table, TableLike, Value};

use super::check::{Finding, mistakes, place};
use super::description::{FILE, Key as Described, Takes};
use super::section::{list, nearest};

/// Why a file was not changed.
#[derive(Debug, thiserror::Error)]
pub enum EditError {
    /// The file is no TOML, so nothing can be put into it.
    #[error("the file can't be changed as it is: {0}")]
    Unreadable(String),
    /// There is no such key, or the value is none of it.
    #[error("{0}")]
    Wrong(String),
    /// With it the file could not be used.
    #[error("with that the file would be wrong: {}", .0.iter().map(|finding| finding.message.as_str()).collect::<Vec<_>>().join("\n  "))]
    Mistakes(Vec<Finding>),
}

/// The text with a key set. `key` is written as in TOML, with dots between tables: `tools.delete_record`,
/// `objects."my table".cap`. A value that is a text may be written bare; a list and a table are written as in TOML.
///
/// # Errors
/// There is no such key, the value is none that it takes, or the file would have a mistake that it did not have.
pub fn set(text: &str, key: &str, value: &str, base: &Path) -> Result<String, EditError> {
    let (path, takes) = find(key)?;
    let value = read(value, takes).map_err(|why| EditError::Wrong(format!("`{key}`: {why}")))?;
    change(text, base, &path, |document| put(document.as_table_mut(), &path, value))
}

/// The text without a key, so that its default holds.
///
/// # Errors
/// There is no such key, or the file would have a mistake that it did not have.
pub fn unset(text: &str, key: &str, base: &Path) -> Result<String, EditError> {
    let (path, _) = find(key)?;
    change(text, base, &path, |document| {
        let (last, tables) = path.split_last().ok_or_else(|| wrong("the key is empty"))?;
        let mut table: &mut dyn TableLike = document.as_table_mut();
        for name in tables {
            match table.get_mut(name).and_then(Item::as_table_like_mut) {
                Some(inner) => table = inner,
                None => return Ok(()),
            }
        }
        table.remove(last);
        Ok(())
    })
}

fn change(
    text: &str,
    base: &Path,
    path: &[String],
    edit: impl FnOnce(&mut DocumentMut) -> Result<(), EditError>,
) -> Result<String, EditError> {
    let mut document: DocumentMut =
        text.parse().map_err(|error: toml_edit::TomlError| EditError::Unreadable(error.message().to_owned()))?;
    edit(&mut document)?;
    let changed = document.to_string();
    let before: Vec<String> = mistakes(text, base).into_iter().map(|finding| finding.message).collect();
    let mut new = mistakes(&changed, base);
    // What was wrong elsewhere may be mended later; the key that is set must be right now.
    let line = place(&changed, &path.iter().map(String::as_str).collect::<Vec<_>>());
    new.retain(|finding| finding.line == line || !before.contains(&finding.message));
    if new.is_empty() { Ok(changed) } else { Err(EditError::Mistakes(new)) }
}

/// The parts of a key, and what it takes.
fn find(key: &str) -> Result<(Vec<String>, &'static Takes), EditError> {
    let parts = Key::parse(key).map_err(|error| {
        wrong(format!("`{key}` is no key: {}; write it as in TOML, for example tools.delete_record", error.message()))
    })?;
    let path: Vec<String> = parts.iter().map(|part| part.get().to_owned()).collect();
    let mut takes: &'static Takes = &Takes::Table(FILE);
    for (at, name) in path.iter().enumerate() {
        takes = match takes {
            Takes::Table(keys) => step(keys, name, &path[..at])?,
            Takes::Named(_, inner) => inner,
            _ => return Err(wrong(format!("`{}` is no table, so it has no `{name}`", path[..at].join(".")))),
        };
    }
    Ok((path, takes))
}

fn step(keys: &'static [Described], name: &str, path: &[String]) -> Result<&'static Takes, EditError> {
    if let Some(key) = keys.iter().find(|key| key.name == name) {
        return Ok(&key.takes);
    }
    let names: Vec<&str> = keys.iter().map(|key| key.name).collect();
    let place = if path.is_empty() { "the file".to_owned() } else { format!("[{}]", path.join(".")) };
    let near = nearest(name, &names).map(|near| format!(" Did you mean `{near}`?")).unwrap_or_default();
    Err(wrong(format!("{place} has no key `{name}`.{near} Allowed: {}", list(&names))))
}

/// The value as TOML; what kind of value it has to be is the check's to say, but for texts, which may be bare.
fn read(text: &str, takes: &Takes) -> Result<Value, String> {
    let parsed = text.trim().parse::<Value>();
    match takes {
        Takes::Text | Takes::Engine | Takes::Setting | Takes::Store | Takes::Word(_) => match parsed {
            Ok(value) if value.is_str() => Ok(value),
            _ => Ok(Value::from(text)),
        },
        Takes::Boolean => parsed.ok().filter(Value::is_bool).ok_or_else(|| "must be true or false".to_owned()),
        Takes::Integer(least, most) => {
            parsed.ok().filter(Value::is_integer).ok_or_else(|| format!("must be a whole number, {least} to {most}"))
        }
        Takes::Texts | Takes::Patterns => parsed
            .ok()
            .filter(Value::is_array)
            .ok_or_else(|| "must be a list of texts, for example '[\"project_id\"]'".to_owned()),
        Takes::Table(_) | Takes::Named(..) => parsed
            .ok()
            .filter(Value::is_inline_table)
            .ok_or_else(|| "is a table; set one of its keys, or give it whole, as '{ key = \"value\" }'".to_owned()),
    }
}

fn put(root: &mut Table, path: &[String], value: Value) -> Result<(), EditError> {
    let (last, tables) = path.split_last().ok_or_else(|| wrong("the key is empty"))?;
    let mut table: &mut dyn TableLike = root;
    for name in tables {
        let item = table.entry(name).or_insert_with(|| {
            let mut inner = Table::new();
            // Without a line of its own until it has a value.
            inner.set_implicit(true);
            Item::Table(inner)
        });
        table = item.as_table_like_mut().ok_or_else(|| wrong(format!("`{name}` is no table in this file")))?;
    }
    match table.get_mut(last) {
        // What stands around the value stays, a comment behind it too.
        Some(Item::Value(old)) if !value.is_inline_table() => {
            let decor = old.decor().clone();
            *old = value;
            *old.decor_mut() = decor;
        }
        _ => {
            // A table of its own reads better than one in a line.
            let item = match value {
                Value::InlineTable(inline) => Item::Table(inline.into_table()),
                value => Item::Value(value),
            };
            table.insert(last, item);
        }
    }
    Ok(())
}

fn wrong(sentence: impl Into<String>) -> EditError {
    EditError::Wrong(sentence.into())
}
