//! Removing one record: a transaction of its own, judged by the rules, counted by the engine.

use rusqlite::Connection;
use sea_query::Expr;

use super::read::{self, Shape};
use super::schema::Table;
use super::sql::{Bound, Lists, all, column as named, delete_from, mark_in, raw, select_from};
use super::{key, refusal};
use crate::bridge::{Failure, Removal, Scalar};
use crate::identity::Caller;

/// Removes the record with this id, if the caller sees it, it has the revision, and the rules let it go. The connection
/// holds the write lock, so nothing changes between the reading and the removal; the caller of this commits.
pub(super) fn remove(
    connection: &Connection,
    table: &Table,
    caller: &Caller,
    id: &[Scalar],
    revision: Option<&str>,
) -> Result<Removal, Failure> {
    let before = match find(connection, table, caller, id).map_err(refusal::of)? {
        Found::Nothing => return Ok(Removal::Absent),
        Found::Several => return Err(refusal::ambiguous()),
        Found::One(record) => record,
    };
    if revision.is_some_and(|revision| revision != before.revision) {
        return Ok(Removal::Changed);
    }
    if !before.removable {
        return Err(refusal::denied());
    }
    match delete(connection, table, id).map_err(refusal::of)? {
        1 => Ok(Removal::Removed),
        // A trigger kept it, or it removed the record itself.
        0 => match find(connection, table, &Caller::new(None, true), id).map_err(refusal::of)? {
            Found::Nothing => Ok(Removal::Removed),
            _ => Ok(Removal::Kept),
        },
        _ => Err(refusal::ambiguous()),
    }
}

enum Found {
    Nothing,
    One(Record),
    Several,
}

struct Record {
    revision: String,
    removable: bool,
}

fn find(connection: &Connection, table: &Table, caller: &Caller, id: &[Scalar]) -> rusqlite::Result<Found> {
    let mut lists = Lists::default();
    let condition = all(vec![read::seen(table, caller), key::is(table, id, &mut lists)]);
    let removable = match (&table.removable, caller.actor()) {
        (Some(predicate), Some(_)) => raw("(? IS TRUE)", [read::predicated(predicate)]),
        _ => Expr::cust("TRUE"),
    };
    let shape = Shape::of(table);
    let mut statement = select_from(table);
    statement
        .exprs(shape.columns.iter().map(|place| named(table, &table.columns[*place])))
        .expr(removable)
        .and_where(condition)
        .limit(2);
    let mut prepared = Bound::select(&statement, lists, caller.actor()).prepare(connection)?;
    let mut rows = prepared.raw_query();
    let Some(row) = rows.next()? else {
        return Ok(Found::Nothing);
    };
    let record = Record { revision: shape.revision(row)?, removable: row.get(shape.columns.len())? };
    Ok(if rows.next()?.is_some() { Found::Several } else { Found::One(record) })
}

/// Gives the number of records of this table that the statement itself removed, or marked as gone.
fn delete(connection: &Connection, table: &Table, id: &[Scalar]) -> rusqlite::Result<usize> {
    let mut lists = Lists::default();
    let condition = key::is(table, id, &mut lists);
    let bound = match table.soft_delete {
        None => Bound::delete(&delete_from(table, condition), lists, None),
        Some(soft) => Bound::update(&mark_in(table, soft, condition), lists),
    };
    bound.prepare(connection)?.raw_execute()
}
