//! What the configuration says about tables, applied to them.

use std::collections::BTreeMap;

use deadpool_postgres::ClientWrapper;
use tokio_postgres::types::Type;

use super::column::{Column, Stored};
use super::predicate::Predicate;
use super::schema::{Table, serve};
use crate::bridge::FieldType;
use crate::bridge::rules::{no_condition, no_key, no_mark, no_parameter, no_such_column, no_such_table};
use crate::config::{Config, ObjectConfig};

/// Why the tables and the configuration can't be used together.
#[derive(Debug, thiserror::Error)]
pub(super) enum RuleError {
    /// The engine failed.
    #[error(transparent)]
    Engine(#[from] tokio_postgres::Error),
    /// The configuration names something that does not exist, or that is no SQL.
    #[error("{0}")]
    Config(String),
}

/// Applies the configuration, and settles which tables are objects.
pub(super) async fn apply(
    client: &ClientWrapper,
    config: &Config,
    tables: &mut BTreeMap<String, Table>,
) -> Result<(), RuleError> {
    for (name, object) in &config.objects {
        if !tables.contains_key(name) {
            return Err(RuleError::Config(no_such_table(name, tables.keys().map(String::as_str))));
        }
        let Some(table) = tables.get_mut(name) else { continue };
        retype(table, object)?;
        table.label = place(table, "label", object.label.as_deref())?.or(table.label);
        table.revision = place(table, "revision", object.revision.as_deref())?;
        for field in &object.scope {
            place(table, "scope", Some(field))?;
        }
        table.soft_delete = mark(table, object)?;
        table.visible = predicate(client, table, "visible", object.visible.as_deref()).await?;
        table.removable = predicate(client, table, "removable", object.removable.as_deref()).await?;
    }
    for table in tables.values_mut() {
        serve(table, config);
    }
    for name in config.objects.keys() {
        if tables.get(name).is_some_and(|table| !table.served) && !config.is_system_object(name) {
            return Err(RuleError::Config(no_key(name)));
        }
    }
    Ok(())
}

/// The server knows what a column holds; only JSON can be read in more than one way.
fn retype(table: &mut Table, object: &ObjectConfig) -> Result<(), RuleError> {
    for (name, type_) in &object.fields {
        let Some(place) = place(table, "fields", Some(name))? else { continue };
        let column = &mut table.columns[place];
        if !column.can_be(*type_) {
            return Err(RuleError::Config(format!(
                "[objects.{}] fields: the column `{name}` can't be given this type; PostgreSQL's own says what it holds, and \
                 allowed are `text-list` for JSON, and `opaque`.",
                table.name
            )));
        }
        column.type_ = *type_;
    }
    Ok(())
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

/// The column that says that a record is gone.
fn mark(table: &Table, object: &ObjectConfig) -> Result<Option<usize>, RuleError> {
    let Some(place) = place(table, "soft-delete", object.soft_delete.as_deref())? else {
        return Ok(None);
    };
    let column: &Column = &table.columns[place];
    let holds = match column.type_ {
        FieldType::Instant | FieldType::Date => column.nullable,
        FieldType::Boolean => true,
        _ => false,
    };
    match holds && !column.generated && !table.key.contains(&place) {
        true => Ok(Some(place)),
        false => Err(RuleError::Config(no_mark(&table.name, &column.name))),
    }
}

/// What a removal sets the mark to, and what tells that it is not set.
pub(super) fn marking(column: &Column) -> (&'static str, String) {
    let sql = &column.sql;
    match (column.type_, &column.stored) {
        (FieldType::Boolean, _) => ("TRUE", format!("({sql} IS NOT TRUE)")),
        (FieldType::Date, _) => ("CAST(now() AT TIME ZONE 'UTC' AS pg_catalog.date)", format!("({sql} IS NULL)")),
        (_, Stored::Zoneless) => ("(now() AT TIME ZONE 'UTC')", format!("({sql} IS NULL)")),
        _ => ("now()", format!("({sql} IS NULL)")),
    }
}

/// Checks that a predicate is one expression over the row and the caller.
async fn predicate(
    client: &ClientWrapper,
    table: &Table,
    key: &str,
    text: Option<&str>,
) -> Result<Option<Predicate>, RuleError> {
    let Some(text) = text else {
        return Ok(None);
    };
    let predicate = Predicate::parse(text);
    let (from, bare) = (&table.from, predicate.bare());
    // Alone, so that no parenthesis of its own closes ours; and as it will stand, so that no comment swallows the rest.
    for sql in [format!("SELECT 1 FROM {from} WHERE {bare}"), format!("SELECT 1 FROM {from} WHERE ({bare}\n) AND TRUE")]
    {
        let statement = match client.prepare_typed(&sql, &[Type::TEXT]).await {
            Ok(statement) => statement,
            Err(error) => {
                let Some(cause) = error.as_db_error() else { return Err(error.into()) };
                return Err(RuleError::Config(no_condition(&table.name, key, text, cause.message())));
            }
        };
        if statement.params().len() > 1 {
            return Err(RuleError::Config(no_parameter(&table.name, key, "$2")));
        }
    }
    Ok(Some(predicate))
}
