//! What a removal would reach, along the foreign keys of the schema.
//!
//! Rows that go with their parent lead to further rows, through tables and rows that the caller can't see, too; what is
//! counted is what the caller sees.

use std::collections::{BTreeMap, HashSet, VecDeque};

use rusqlite::Connection;
use rusqlite::types::{Value, ValueRef};
use sea_query::{Expr, SelectStatement};

use super::reference::Reference;
use super::schema::{Identity, Schema, Table};
use super::sql::{Bound, Lists, column, constant, name, named, raw, select_from};
use super::{key, read, refusal};
use crate::bridge::{Dependents, Effect, Failure, RecordId, Selection};
use crate::identity::Caller;

/// Rows that are looked at, over all tables: beyond that the answer would take longer than it is worth, and the count
/// is not known.
const MAX_ROWS: usize = 100_000;

/// Rows whose dependents are asked for in one statement.
const BATCH: usize = 500;

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

/// Rows of one table that were reached in one way.
#[derive(Default)]
struct Reached {
    rows: HashSet<RowKey>,
    /// Those of them that the caller sees.
    seen: HashSet<RowKey>,
}

/// How a row was reached: what happens to it, and whether even where it goes in the same step.
type Way = (Effect, bool);

/// What depends on the records with these ids, sorted; `None` where it can't be told.
pub(super) fn of(
    connection: &Connection,
    schema: &Schema,
    table: &Table,
    caller: &Caller,
    ids: &[RecordId],
) -> Result<Option<Vec<Dependents>>, Failure> {
    let mut lists = Lists::default();
    let condition = read::selected(table, caller, &Selection::Ids(ids.to_vec()), &mut lists)?;
    let mut search = Search { connection, schema, caller, reached: BTreeMap::new(), left: MAX_ROWS };
    search.run(table, condition, lists).map_err(refusal::of)
}

struct Search<'a> {
    connection: &'a Connection,
    schema: &'a Schema,
    caller: &'a Caller,
    reached: BTreeMap<(&'a str, Way), Reached>,
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
                    going.extend(self.reach(reference, child, found, (child.name == table.name).then_some(&own)));
                }
                if reference.effect == Effect::Cascade && !going.is_empty() {
                    waiting.push_back((child, going));
                }
            }
        }
        Ok(Some(self.counts()))
    }

    /// Notes rows, and gives back those that were not known.
    fn reach(
        &mut self,
        reference: &Reference,
        child: &'a Table,
        found: Vec<(RowKey, bool)>,
        own: Option<&HashSet<RowKey>>,
    ) -> Vec<RowKey> {
        let reached = self.reached.entry((&child.name, (reference.effect, reference.at_once))).or_default();
        let mut new = Vec::new();
        for (row, seen) in found {
            if own.is_some_and(|own| own.contains(&row)) || !reached.rows.insert(row.clone()) {
                continue;
            }
            if seen {
                reached.seen.insert(row.clone());
            }
            new.push(row);
        }
        new
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

    /// Each row once for each effect. A row that goes anyway is not detached, and stands in nobody's way unless its key
    /// says `RESTRICT`.
    fn counts(&self) -> Vec<Dependents> {
        let mut counts = Vec::new();
        let tables: Vec<&str> = self.reached.keys().map(|(table, _)| *table).collect();
        let mut last = None;
        for table in tables {
            if last.replace(table) == Some(table) {
                continue;
            }
            let of = |effect, at_once| self.reached.get(&(table, (effect, at_once)));
            let goes = of(Effect::Cascade, false);
            let stays = |reached: &Reached| -> HashSet<RowKey> {
                let goes = |row: &&RowKey| goes.is_some_and(|goes| goes.rows.contains(*row));
                reached.seen.iter().filter(|row| !goes(row)).cloned().collect()
            };
            let cascade = goes.map_or(0, |reached| reached.seen.len());
            let mut restrict = of(Effect::Restrict, false).map(stays).unwrap_or_default();
            restrict.extend(of(Effect::Restrict, true).map(|reached| reached.seen.clone()).unwrap_or_default());
            let detach = of(Effect::Detach, false).map(stays).unwrap_or_default().len();
            for (effect, count) in
                [(Effect::Cascade, cascade), (Effect::Restrict, restrict.len()), (Effect::Detach, detach)]
            {
                if count > 0 {
                    counts.push(Dependents { object: table.to_owned(), count: count as u64, effect });
                }
            }
        }
        counts
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
