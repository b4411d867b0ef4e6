//! Records by their keys: finding one or many, and what comes behind one in the engine's own order.

use rusqlite::Connection;
use rusqlite::types::{Value, ValueRef};
use sea_query::{Expr, ExprTrait, Order, SelectStatement};

use super::compare::{self, one_of, stored};
use super::refusal;
use super::schema::{Column, Table};
use super::sql::{Bound, Lists, all, any, bind, column as named, constant, name, raw, select_from};
use crate::bridge::{Comparison, Condition, Failure, FieldType, RecordId, Scalar};

/// SQLite takes 32,766 parameters in a statement. Each of these is bound twice at most, and some are left to the rest.
const MAX_KEY_PARAMETERS: usize = 15_000;

/// The record with this id. An id that no record can have matches none.
pub(super) fn is(table: &Table, id: &[Scalar], lists: &mut Lists) -> Expr {
    if id.len() != table.key.len() {
        return constant(false);
    }
    let parts: Result<Vec<Expr>, Failure> = table
        .key_columns()
        .zip(id)
        .map(|(column, value)| {
            let condition =
                Condition { field: column.name.clone(), comparison: Comparison::Equal, operands: vec![value.clone()] };
            compare::expression(table, column, &condition, lists)
        })
        .collect();
    parts.map(all).unwrap_or_else(|_| constant(false))
}

/// The records with one of these ids.
pub(super) fn among(table: &Table, ids: &[RecordId], lists: &mut Lists) -> Expr {
    let tuples: Option<Vec<Vec<Value>>> =
        ids.iter().map(|id| tuples(table, id)).collect::<Option<Vec<_>>>().map(|all| all.concat());
    match (tuples, table.key.as_slice()) {
        (Some(tuples), [only]) if !tuples.is_empty() => one_of(table, &table.columns[*only], tuples.concat(), lists),
        (Some(tuples), _) if !tuples.is_empty() && tuples.len() * table.key.len() <= MAX_KEY_PARAMETERS => {
            composite(table, &tuples)
        }
        _ => any(ids.iter().map(|id| is(table, id, lists)).collect()),
    }
}

/// Every key that the engine may store for an id; none for an id that no record can have, `None` where they can't be
/// listed.
fn tuples(table: &Table, id: &[Scalar]) -> Option<Vec<Vec<Value>>> {
    if id.len() != table.key.len() {
        return Some(Vec::new());
    }
    let mut tuples: Vec<Vec<Value>> = vec![Vec::new()];
    for (column, value) in table.key_columns().zip(id) {
        let values = match stored(column, value) {
            Ok(Some(values)) => values,
            Ok(None) => return None,
            Err(_) => return Some(Vec::new()),
        };
        tuples = tuples
            .iter()
            .flat_map(|tuple| values.iter().map(|value| tuple.iter().cloned().chain([value.clone()]).collect()))
            .collect();
    }
    Some(tuples)
}

fn composite(table: &Table, tuples: &[Vec<Value>]) -> Expr {
    let keys = || Expr::tuple(table.key_columns().map(|column| named(table, column)));
    let exact = Expr::tuple(table.key_columns().map(|column| match &column.collation {
        None => named(table, column),
        Some(_) => raw("? COLLATE BINARY", [named(table, column)]),
    }));
    let rows = || values(tuples);
    let found = raw("(? IN ?)", [keys(), rows()]);
    if table.key_columns().all(|column| column.collation.is_none()) {
        return found;
    }
    all(vec![found, raw("(? IN ?)", [exact, rows()])])
}

/// `(VALUES (…), (…))`.
pub(super) fn values(tuples: &[Vec<Value>]) -> Expr {
    let rows: Vec<Expr> = tuples.iter().map(|tuple| Expr::tuple(tuple.iter().map(bind))).collect();
    let template = format!("(VALUES {})", vec!["?"; rows.len()].join(", "));
    Expr::cust_with_exprs(template, rows)
}

/// What the key's column is ordered by. Points in time are ordered as time, since their texts are not; everything else
/// as the primary key's own index has it.
fn order_of(table: &Table, column: &Column) -> Expr {
    let value = named(table, column);
    match (&column.key_collation, column.type_) {
        (_, FieldType::Instant) => raw("deletegate_instant(?)", [value]),
        (Some(collation), _) => raw("? COLLATE ?", [value, name(collation)]),
        (None, _) => value,
    }
}

/// Puts the records in the one order.
pub(super) fn order(table: &Table, statement: &mut SelectStatement) {
    for column in table.key_columns() {
        statement.order_by_expr(order_of(table, column), Order::Asc);
    }
}

/// The records behind the one with this id, which need not be there any more.
pub(super) fn behind(connection: &Connection, table: &Table, id: &[Scalar]) -> Result<Expr, Failure> {
    if id.len() != table.key.len() {
        return Err(refusal::no_such_place());
    }
    let own = as_stored(connection, table, id).map_err(refusal::of)?;
    let mut order = Vec::new();
    let mut places = Vec::new();
    for (place, (column, value)) in table.key_columns().zip(id).enumerate() {
        let (by, bound) = match (value, &own) {
            (Scalar::Instant(instant), _) => (order_of(table, column), Value::Blob(super::instant::order(instant))),
            (_, Some(own)) => (order_of(table, column), own[place].clone()),
            (_, None) => {
                let bound = stored(column, value)?.and_then(|mut values| values.pop()).unwrap_or(Value::Null);
                // Nobody knows any more in which case it was written. In a table of one case this is the same order.
                let folded = column.type_ == FieldType::Uuid && !column.holds_uuid_bytes();
                let by = order_of(table, column);
                (if folded { raw("lower(?)", [by]) } else { by }, bound)
            }
        };
        order.push(by);
        places.push(bind(&bound));
    }
    Ok(match (order.pop(), places.pop()) {
        (Some(column), Some(value)) if order.is_empty() => raw("(? > ?)", [column, value]),
        (column, value) => {
            Expr::tuple(order.into_iter().chain(column)).gt(Expr::tuple(places.into_iter().chain(value)))
        }
    })
}

/// The key as the engine stores it, where the record is there.
fn as_stored(connection: &Connection, table: &Table, id: &[Scalar]) -> rusqlite::Result<Option<Vec<Value>>> {
    if !table.key_columns().any(|column| column.type_ == FieldType::Uuid) {
        return Ok(None);
    }
    let mut lists = Lists::default();
    let mut statement = select_from(table);
    statement.exprs(table.key_columns().map(|column| named(table, column))).and_where(is(table, id, &mut lists));
    let mut prepared = Bound::select(&statement, lists, None).prepare(connection)?;
    let mut rows = prepared.raw_query();
    let Some(row) = rows.next()? else {
        return Ok(None);
    };
    (0..table.key.len()).map(|place| row.get_ref(place).map(owned)).collect::<rusqlite::Result<_>>().map(Some)
}

fn owned(value: ValueRef) -> Value {
    Value::try_from(value).unwrap_or(Value::Null)
}
