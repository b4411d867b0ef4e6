//! What SQL itself can't say exactly, as functions of the connection.
//!
//! `LIKE` folds case and has wildcards, and SQLite has no type for a point in time, a uuid or a list. The functions
//! are deterministic, and direct only: no trigger or view of a database can call them.

use rusqlite::functions::{Context, FunctionFlags};
use rusqlite::types::ValueRef;
use rusqlite::{Connection, Result};

use super::{instant, value};

/// Registers the functions on a connection.
pub(super) fn register(connection: &Connection) -> Result<()> {
    let flags = FunctionFlags::SQLITE_UTF8 | FunctionFlags::SQLITE_DETERMINISTIC | FunctionFlags::SQLITE_DIRECTONLY;

    // Whether the first text holds, begins with or ends with the second, byte for byte.
    for (name, test) in [
        ("deletegate_contains", contains as fn(&[u8], &[u8]) -> bool),
        ("deletegate_starts_with", |text, part| text.starts_with(part)),
        ("deletegate_ends_with", |text, part| text.ends_with(part)),
        ("deletegate_contains_ignoring_case", |text, part| {
            contains(&text.to_ascii_lowercase(), &part.to_ascii_lowercase())
        }),
    ] {
        connection.create_scalar_function(name, 2, flags, move |context| {
            Ok(texts(context).map(|(text, part)| test(text, part)))
        })?;
    }

    // The bytes of a text in UTF-8, whatever the database's encoding; null for anything else.
    connection.create_scalar_function("deletegate_bytes", 1, flags, |context| {
        Ok(text(context.get_raw(0)).map(<[u8]>::to_vec))
    })?;
    // Whether a text can leave as text: a key that can't would name another record, or none.
    connection.create_scalar_function("deletegate_is_utf8", 1, flags, |context| {
        Ok(text(context.get_raw(0)).is_some_and(|bytes| std::str::from_utf8(bytes).is_ok()))
    })?;
    // Whether a text is a uuid in one case throughout, with hyphens.
    connection.create_scalar_function("deletegate_is_uuid", 1, flags, |context| {
        Ok(text(context.get_raw(0)).is_some_and(value::is_uuid))
    })?;
    // Bytes that compare as the points in time do; null for what means none.
    connection.create_scalar_function("deletegate_instant", 1, flags, |context| {
        Ok(instant::of(context.get_raw(0)).map(|instant| instant::order(&instant)))
    })?;
    // Whether a value is a JSON array of strings.
    connection.create_scalar_function("deletegate_is_text_list", 1, flags, |context| {
        Ok(list(context.get_raw(0)).is_some())
    })?;
    // Whether a JSON array of strings holds every string of another; null where the first is none.
    connection.create_scalar_function("deletegate_holds_all", 2, flags, |context| {
        let (Some(held), Some(wanted)) = (list(context.get_raw(0)), list(context.get_raw(1))) else {
            return Ok(None);
        };
        Ok(Some(wanted.iter().all(|text| held.contains(text))))
    })
}

fn text(value: ValueRef<'_>) -> Option<&[u8]> {
    match value {
        ValueRef::Text(bytes) => Some(bytes),
        _ => None,
    }
}

fn texts<'c>(context: &'c Context) -> Option<(&'c [u8], &'c [u8])> {
    Some((text(context.get_raw(0))?, text(context.get_raw(1))?))
}

fn list(value: ValueRef) -> Option<Vec<String>> {
    serde_json::from_slice(text(value)?).ok()
}

fn contains(text: &[u8], part: &[u8]) -> bool {
    match (std::str::from_utf8(text), std::str::from_utf8(part)) {
        // The search of `str` takes time in proportion to the text.
        (Ok(text), Ok(part)) => text.contains(part),
        _ => part.is_empty() || text.windows(part.len()).any(|window| window == part),
    }
}
