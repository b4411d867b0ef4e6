//! What the configuration says about tables, applied to them.

use std::collections::BTreeMap;

use rusqlite::config::DbConfig;
use rusqlite::{Connection, Statement};

use super::schema::{SoftDelete, Table, serve};
use super::sql::SCHEMA;
use crate::bridge::FieldType;
use crate::bridge::rules::{ACTOR, no_condition, no_key, no_mark, no_parameter, no_such_column, no_such_table};
use crate::config::{Config, ObjectConfig};

/// Why the tables and the configuration can't be used together.
#[derive(Debug, thiserror::Error)]
pub(super) enum RuleError {
    /// The engine failed.
    #[error(transparent)]
    Engine(#[from] rusqlite::Error),
    /// The configuration names something that does not exist, or that is no SQL.
    #[error("{0}")]
    Config(String),
}

/// Applies the configuration, and settles which tables are objects.
pub(super) fn apply(
    connection: &Connection,
    config: &Config,
    tables: &mut BTreeMap<String, Table>,
) -> Result<(), RuleError> {
    for (name, object) in &config.objects {
        if !tables.contains_key(name) {
            return Err(RuleError::Config(no_such_table(name, tables.keys().map(String::as_str))));
        }
        let Some(table) = tables.get_mut(name) else { continue };
        let mark = mark(table, object)?;
        retype(table, object)?;
        table.soft_delete = mark;
        table.label = place(table, "label", object.label.as_deref())?.or(table.label);
        table.revision = place(table, "revision", object.revision.as_deref())?;
        for field in &object.scope {
            place(table, "scope", Some(field))?;
        }
        table.visible = predicate(connection, table, "visible", object.visible.as_deref())?;
        table.removable = predicate(connection, table, "removable", object.removable.as_deref())?;
    }
    for table in tables.values_mut() {
        serve(table, config);
    }
    for (name, object) in &config.objects {
        // What is excluded need not be an object: it is none for any tool either way.
        if !object.exclude && tables.get(name).is_some_and(|table| !table.served) && !config.is_system_object(name) {
            return Err(RuleError::Config(no_key(name)));
        }
    }
    Ok(())
}

fn retype(table: &mut Table, object: &ObjectConfig) -> Result<(), RuleError> {
    for (name, type_) in &object.fields {
        if let Some(place) = place(table, "fields", Some(name))? {
            table.columns[place].type_ = *type_;
        }
    }
    Ok(())
}

/// The column that says that a record is gone; its own type tells how a point in time is stored.
fn mark(table: &Table, object: &ObjectConfig) -> Result<Option<SoftDelete>, RuleError> {
    let Some(place) = place(table, "soft-delete", object.soft_delete.as_deref())? else {
        return Ok(None);
    };
    let column = &table.columns[place];
    let meant = object.fields.get(&column.name).copied().unwrap_or(column.type_);
    let mark = match (meant, column.type_) {
        (FieldType::Boolean, _) => Some("TRUE"),
        (FieldType::Instant, FieldType::Integer) => Some("unixepoch()"),
        (FieldType::Instant, _) => Some("strftime('%Y-%m-%dT%H:%M:%SZ', 'now')"),
        (FieldType::Date, _) => Some("date('now')"),
        _ => None,
    };
    let flag = meant == FieldType::Boolean;
    match mark.filter(|_| (column.nullable || flag) && !column.generated && !table.key.contains(&place)) {
        Some(mark) => Ok(Some(SoftDelete { place, mark, flag })),
        None => Err(RuleError::Config(no_mark(&table.name, &column.name))),
    }
}

fn place(table: &Table, key: &str, column: Option<&str>) -> Result<Option<usize>, RuleError> {
    let Some(name) = column else {
        return Ok(None);
    };
    match table.columns.iter().position(|column| column.name == name) {
        Some(place) => Ok(Some(place)),
        None => {
            let columns = table.columns.iter().map(|column| column.name.as_str());
            Err(RuleError::Config(no_such_column(&table.name, key, name, columns)))
        }
    }
}

/// Checks that a predicate is one expression over the row and the caller.
fn predicate(
    connection: &Connection,
    table: &Table,
    key: &str,
    text: Option<&str>,
) -> Result<Option<String>, RuleError> {
    let Some(text) = text else {
        return Ok(None);
    };
    let from = format!("SELECT 1 FROM {SCHEMA}.\"{}\" WHERE", table.name.replace('"', "\"\""));
    // Alone, so that no parenthesis of its own closes ours; and as it will stand, so that no comment swallows the rest.
    for sql in [format!("{from} {text}"), format!("{from} ({text}\n) AND TRUE")] {
        let statement = strictly(connection, |connection| connection.prepare(&sql))
            .map_err(|error| RuleError::Config(no_condition(&table.name, key, text, &cause(&error))))?;
        if let Some(name) = foreign_parameter(&statement) {
            return Err(RuleError::Config(no_parameter(&table.name, key, &name)));
        }
    }
    Ok(Some(text.to_owned()))
}

/// With the reading of unknown quoted names as texts switched off: a misspelt column must not become a constant.
fn strictly<'c, T>(
    connection: &'c Connection,
    prepare: impl FnOnce(&'c Connection) -> rusqlite::Result<T>,
) -> rusqlite::Result<T> {
    let before = connection.db_config(DbConfig::SQLITE_DBCONFIG_DQS_DML)?;
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_DQS_DML, false)?;
    let prepared = prepare(connection);
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_DQS_DML, before)?;
    prepared
}

fn foreign_parameter(statement: &Statement) -> Option<String> {
    (1..=statement.parameter_count()).find_map(|index| match statement.parameter_name(index) {
        Some(ACTOR) => None,
        Some(name) => Some(name.to_owned()),
        None => Some("?".to_owned()),
    })
}

/// The engine's own words: here they are for the owner of the configuration.
fn cause(error: &rusqlite::Error) -> String {
    match error {
        rusqlite::Error::SqlInputError { msg, .. } => msg.clone(),
        other => other.to_string(),
    }
}
