//! Statements: their text by sea-query, with every identifier quoted and every value bound.

use std::rc::Rc;

use rusqlite::types::{ToSqlOutput, Value, ValueRef};
use rusqlite::{CachedStatement, Connection, ToSql};
use sea_query::{
    Alias, DeleteStatement, Expr, ExprTrait, Query, SelectStatement, SqliteQueryBuilder, UpdateStatement, Values,
};

use super::schema::{Column, SoftDelete, Table};
use crate::bridge::rules::ACTOR;

/// The schema whose tables are served. Tables of the connection's own, or of an attached file, could bear the same
/// names.
pub(super) const SCHEMA: &str = "main";

/// Lists that a statement compares with. Each is one parameter, however long it is.
#[derive(Default)]
pub(super) struct Lists(Vec<Rc<Vec<Value>>>);

impl Lists {
    /// The values as the right side of `IN`.
    pub fn add(&mut self, values: Vec<Value>) -> Expr {
        // A list is known by its number among the statement's lists: no other value of this type is ever bound.
        let number = u32::try_from(self.0.len()).unwrap_or(u32::MAX);
        self.0.push(Rc::new(values));
        raw("(SELECT value FROM rarray(?))", [Expr::Value(sea_query::Value::Unsigned(Some(number)))])
    }
}

/// A statement that can run.
pub(super) struct Bound<'a> {
    text: String,
    values: Values,
    lists: Lists,
    actor: Option<&'a str>,
}

impl<'a> Bound<'a> {
    pub fn select(statement: &SelectStatement, lists: Lists, actor: Option<&'a str>) -> Bound<'a> {
        let (text, values) = statement.build(SqliteQueryBuilder);
        Bound { text, values, lists, actor }
    }

    pub fn update(statement: &UpdateStatement, lists: Lists) -> Bound<'a> {
        let (text, values) = statement.build(SqliteQueryBuilder);
        Bound { text, values, lists, actor: None }
    }

    pub fn delete(statement: &DeleteStatement, lists: Lists, actor: Option<&'a str>) -> Bound<'a> {
        let (text, values) = statement.build(SqliteQueryBuilder);
        Bound { text, values, lists, actor }
    }

    /// The same statement, as the question how it would run.
    #[cfg(test)]
    pub fn explained(&self) -> Bound<'a> {
        let lists = Lists(self.lists.0.clone());
        let text = format!("EXPLAIN QUERY PLAN {}", self.text);
        Bound { text, values: self.values.clone(), lists, actor: self.actor }
    }

    /// The prepared statement with everything bound.
    pub fn prepare<'c>(&self, connection: &'c Connection) -> rusqlite::Result<CachedStatement<'c>> {
        let mut statement = connection.prepare_cached(&self.text)?;
        let mut values = self.values.iter();
        for index in 1..=statement.parameter_count() {
            if statement.parameter_name(index).is_some_and(|name| name == ACTOR) {
                statement.raw_bind_parameter(index, self.actor)?;
                continue;
            }
            match values.next() {
                Some(sea_query::Value::Unsigned(Some(number))) => {
                    let list = self.lists.0.get(*number as usize).cloned().unwrap_or_default();
                    statement.raw_bind_parameter(index, list)?;
                }
                Some(value) => statement.raw_bind_parameter(index, Scalar(value))?,
                // Only a predicate with other parameters could come here, and those are refused when it is read.
                None => return Err(rusqlite::Error::InvalidParameterCount(self.values.0.len(), index)),
            }
        }
        Ok(statement)
    }
}

/// The values that this bridge binds.
struct Scalar<'v>(&'v sea_query::Value);

impl ToSql for Scalar<'_> {
    fn to_sql(&self) -> rusqlite::Result<ToSqlOutput<'_>> {
        use sea_query::Value;
        let value = match self.0 {
            Value::BigInt(Some(value)) => ValueRef::Integer(*value),
            Value::BigUnsigned(Some(value)) => {
                let value =
                    i64::try_from(*value).map_err(|error| rusqlite::Error::ToSqlConversionFailure(error.into()))?;
                ValueRef::Integer(value)
            }
            Value::Double(Some(value)) => ValueRef::Real(*value),
            Value::String(Some(text)) => ValueRef::Text(text.as_bytes()),
            Value::Bytes(Some(bytes)) => ValueRef::Blob(bytes),
            _ => ValueRef::Null,
        };
        Ok(ToSqlOutput::Borrowed(value))
    }
}

/// `SELECT … FROM main."table"`.
pub(super) fn select_from(table: &Table) -> SelectStatement {
    Query::select().from((Alias::new(SCHEMA), Alias::new(&table.name))).take()
}

/// `DELETE FROM main."table" WHERE …`.
pub(super) fn delete_from(table: &Table, condition: Expr) -> DeleteStatement {
    Query::delete().from_table((Alias::new(SCHEMA), Alias::new(&table.name))).and_where(condition).take()
}

/// `UPDATE main."table" SET … WHERE …`, for the mark of a soft delete.
pub(super) fn mark_in(table: &Table, soft: SoftDelete, condition: Expr) -> UpdateStatement {
    let column = Alias::new(&table.columns[soft.place].name);
    Query::update()
        .table((Alias::new(SCHEMA), Alias::new(&table.name)))
        .value(column, Expr::cust(soft.mark))
        .and_where(condition)
        .take()
}

/// A column, named with its table: a quoted name alone would be a text where there is no such column.
pub(super) fn column(table: &Table, column: &Column) -> Expr {
    named(table, &column.name)
}

/// The same for a name that is no column's, such as the row id's.
pub(super) fn named(table: &Table, name: &str) -> Expr {
    Expr::col((Alias::new(&table.name), Alias::new(name)))
}

/// A fixed text in which each `?` is an expression. It brings its own parentheses.
pub(super) fn raw(text: &'static str, parts: impl IntoIterator<Item = Expr>) -> Expr {
    Expr::cust_with_exprs(text, parts)
}

/// A name where SQL wants one, such as a collation's.
pub(super) fn name(name: &str) -> Expr {
    Expr::col(Alias::new(name))
}

/// A value as an expression.
pub(super) fn bind(value: &Value) -> Expr {
    Expr::Value(match value {
        Value::Null => sea_query::Value::BigInt(None),
        Value::Integer(value) => sea_query::Value::BigInt(Some(*value)),
        Value::Real(value) => sea_query::Value::Double(Some(*value)),
        Value::Text(text) => sea_query::Value::String(Some(text.clone())),
        Value::Blob(bytes) => sea_query::Value::Bytes(Some(bytes.clone())),
    })
}

/// Matches every record, or none.
pub(super) fn constant(value: bool) -> Expr {
    Expr::cust(if value { "TRUE" } else { "FALSE" })
}

/// True where all are. The tree is balanced: SQLite takes expressions of a depth of 1000, and a chain of conditions
/// is as deep as it is long.
pub(super) fn all(parts: Vec<Expr>) -> Expr {
    joined(parts, &|left, right| left.and(right)).unwrap_or_else(|| constant(true))
}

/// True where at least one is; balanced too.
pub(super) fn any(parts: Vec<Expr>) -> Expr {
    joined(parts, &|left, right| left.or(right)).unwrap_or_else(|| constant(false))
}

fn joined(mut parts: Vec<Expr>, join: &dyn Fn(Expr, Expr) -> Expr) -> Option<Expr> {
    if parts.len() < 2 {
        return parts.pop();
    }
    let right = parts.split_off(parts.len() / 2);
    Some(join(joined(parts, join)?, joined(right, join)?))
}
