//! What is wrong where the configuration does not fit the tables, in the same words over every engine. Whatever does not
//! fit stops the bridge: a predicate that silently meant nothing would show and remove too much.

use crate::config::nearest;

/// The parameter of the predicates `visible` and `removable`.
pub(super) const ACTOR: &str = ":actor";

/// The configuration names a table that is not there.
pub(super) fn no_such_table<'n>(object: &str, tables: impl Iterator<Item = &'n str>) -> String {
    let names: Vec<&str> = tables.collect();
    unknown(&format!("[objects.{object}]: the database has no table `{object}`"), nearest(object, &names))
}

/// A key of an object's configuration names a column that is not there.
pub(super) fn no_such_column<'n>(
    object: &str,
    key: &str,
    column: &str,
    columns: impl Iterator<Item = &'n str>,
) -> String {
    let names: Vec<&str> = columns.collect();
    unknown(&format!("[objects.{object}] {key}: the table has no column `{column}`"), nearest(column, &names))
}

fn unknown(sentence: &str, near: Option<&str>) -> String {
    let hint = near.map(|name| format!(" Did you mean `{name}`?")).unwrap_or_default();
    format!("{sentence}.{hint}")
}

/// The configuration names a table whose records can't be told apart.
pub(super) fn no_key(object: &str) -> String {
    format!(
        "[objects.{object}]: the table has no primary key whose fields can tell records apart; \
         a column that holds such values can be given a type in `fields`."
    )
}

/// A predicate that the engine can't read. The engine's own words: here they are for the owner of the configuration.
pub(super) fn no_condition(object: &str, key: &str, text: &str, cause: &str) -> String {
    format!("[objects.{object}] {key}: `{text}` is no SQL condition over this table: {cause}")
}

/// A predicate with another parameter than the caller.
pub(super) fn no_parameter(object: &str, key: &str, name: &str) -> String {
    format!("[objects.{object}] {key}: `{name}` is no parameter; allowed is `{ACTOR}`, the caller's id.")
}

/// A column that can't say that a record is gone.
pub(super) fn no_mark(object: &str, column: &str) -> String {
    format!(
        "[objects.{object}] soft-delete: the column `{column}` must take no value, and hold a point in time, a date or \
         a boolean."
    )
}
