//! What a removal would reach, along the foreign keys of the schema.
//!
//! Rows that go with their parent lead to further rows, through tables and rows that the caller can't see, too; what is
//! counted is what the caller sees.

use std::collections::{HashSet, VecDeque};

use rusqlite::Connection;
use rusqlite::types::{Value, ValueRef};
use sea_query::{Expr, SelectStatement};

use super::reference::Reference;
use super::schema::{Identity, Schema, Table};
use super::sql::{Bound, Lists, column, constant, name, named, raw, select_from};
use super::{key, read, refusal};
use crate::bridge::reach::{BATCH, MAX_ROWS, Reach};
use crate::bridge::{Dependents, Effect, Failure, RecordId, Selection};
use crate::identity::Caller;

/// What tells a row from every other of its table.
#[derive(Clone, PartialEq, Eq, Hash)]
enum Part {
    Null,
    Integer(i64),
    Real(u64),
    Text(String),
    Blob(Vec<u8>),
}

type RowKey = Vec<Part>;

/// What depends on the records with these ids, sorted; `None` where it can't be told.
pub(super) fn of(
    connection: &Connection,
    schema: &Schema,
    table: &Table,
    caller: &Caller,
    ids: &[RecordId],
) -> Result<Option<Vec<Dependents>>, Failure> {
    if table.soft_delete.is_some() {
        // The record stays where it is, so nothing that points at it is touched.
        return Ok(Some(Vec::new()));
    }
    let mut lists = Lists::default();
    let condition = read::selected(table, caller, &Selection::Ids(ids.to_vec()), &mut lists)?;
    let mut search = Search { connection, schema, caller, reach: Reach::new(), left: MAX_ROWS };
    search.run(table, condition, lists).map_err(refusal::of)
}

struct Search<'a> {
    connection: &'a Connection,
    schema: &'a Schema,
    caller: &'a Caller,
    reach: Reach<'a, RowKey>,
    /// Rows that may still be looked at.
    left: usize,
}

impl<'a> Search<'a> {
    fn run(&mut self, table: &'a Table, first: Expr, lists: Lists) -> rusqlite::Result<Option<Vec<Dependents>>> {
        let Some(roots) = self.rows(table, first, lists)? else {
            return Ok(None);
        };
        let roots: Vec<RowKey> = roots.into_iter().map(|(row, _)| row).collect();
        let own: HashSet<RowKey> = roots.iter().cloned().collect();
        let mut waiting = VecDeque::from([(table, roots)]);
        while let Some((parent, rows)) = waiting.pop_front() {
            for reference in self.schema.references.iter().filter(|reference| reference.parent == parent.name) {
                let Some(child) = self.schema.tables.get(&reference.child) else {
                    continue;
                };
                let mut going = Vec::new();
                for batch in rows.chunks(BATCH) {
                    let mut lists = Lists::default();
                    let Some(condition) = points_at(reference, child, parent, batch, &mut lists) else {
                        return Ok(None);
                    };
                    let Some(found) = self.rows(child, condition, lists)? else {
                        return Ok(None);
                    };
                    let own = (child.name == table.name).then_some(&own);
                    going.extend(self.reach.note(&child.name, reference.effect, reference.at_once, found, own));
                }
                if reference.effect == Effect::Cascade && !going.is_empty() {
                    waiting.push_back((child, going));
                }
            }
        }
        Ok(Some(self.reach.counts()))
    }

    /// The rows of a table for which a condition holds, and whether the caller sees them; `None` beyond the bound, or
    /// where rows can't be told apart.
    fn rows(&mut self, table: &Table, condition: Expr, lists: Lists) -> rusqlite::Result<Option<Vec<(RowKey, bool)>>> {
        let mut statement = select_from(table);
        let Some(width) = identify(table, &mut statement) else {
            return Ok(None);
        };
        let seen = if table.served { read::seen(table, self.caller) } else { constant(false) };
        statement.expr(raw("(? IS TRUE)", [raw("(?)", [seen])])).and_where(condition);
        let bound = Bound::select(&statement, lists, self.caller.actor());
        let mut prepared = bound.prepare(self.connection)?;
        let mut rows = prepared.raw_query();
        let mut found = Vec::new();
        while let Some(row) = rows.next()? {
            if self.left == 0 {
                return Ok(None);
            }
            self.left -= 1;
            let mut parts = Vec::with_capacity(width);
            for place in 0..width {
                match part(row.get_ref(place)?) {
                    Some(part) => parts.push(part),
                    None => return Ok(None),
                }
            }
            found.push((parts, row.get(width)?));
        }
        Ok(Some(found))
    }
}

/// Reads what tells a row from another; gives the number of columns that it takes.
fn identify(table: &Table, statement: &mut SelectStatement) -> Option<usize> {
    match table.identity.as_ref()? {
        Identity::RowId(id) => {
            statement.expr(named(table, id));
            Some(1)
        }
        Identity::Key => {
            statement.exprs(table.key_columns().map(|key| column(table, key)));
            Some(table.key.len())
        }
    }
}

/// The child's rows that point at one of these rows of the parent.
fn points_at(reference: &Reference, child: &Table, parent: &Table, rows: &[RowKey], lists: &mut Lists) -> Option<Expr> {
    let values: Vec<Vec<Value>> = rows.iter().map(|row| row.iter().map(value).collect()).collect();
    let chosen = match parent.identity.as_ref()? {
        Identity::RowId(id) => raw("(? IN ?)", [named(parent, id), lists.add(values.concat())]),
        Identity::Key => {
            let keys = Expr::tuple(parent.key_columns().map(|key| column(parent, key)));
            raw("(? IN ?)", [keys, key::values(&values)])
        }
    };
    let pointed =
        select_from(parent).exprs(reference.to.iter().map(|column| named(parent, column))).and_where(chosen).take();
    // SQLite compares by the parent's collation, and `IN` by that of its left side.
    let own = reference.from.iter().zip(&reference.to).map(|(from, to)| {
        let (own, other) = (child.column(from)?.collation.as_deref(), parent.column(to)?.collation.as_deref());
        let value = named(child, from);
        Some(if own == other { value } else { raw("? COLLATE ?", [value, name(other.unwrap_or("BINARY"))]) })
    });
    let own: Vec<Expr> = own.collect::<Option<_>>()?;
    Some(raw("(? IN ?)", [Expr::tuple(own), Expr::SubQuery(None, Box::new(pointed.into()))]))
}

fn part(value: ValueRef) -> Option<Part> {
    Some(match value {
        ValueRef::Null => Part::Null,
        ValueRef::Integer(value) => Part::Integer(value),
        ValueRef::Real(value) => Part::Real(value.to_bits()),
        // A text that is none can't be bound again.
        ValueRef::Text(bytes) => Part::Text(std::str::from_utf8(bytes).ok()?.to_owned()),
        ValueRef::Blob(bytes) => Part::Blob(bytes.to_vec()),
    })
}

fn value(part: &Part) -> Value {
    match part {
        Part::Null => Value::Null,
        Part::Integer(value) => Value::Integer(*value),
        Part::Real(bits) => Value::Real(f64::from_bits(*bits)),
        Part::Text(text) => Value::Text(text.clone()),
        Part::Blob(bytes) => Value::Blob(bytes.clone()),
    }
}
