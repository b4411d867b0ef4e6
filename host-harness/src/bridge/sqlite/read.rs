//! What a caller can see: access, records, totals.

use rusqlite::types::ValueRef;
use rusqlite::{Connection, Row as SqlRow};
use sea_query::Expr;
use sha2::{Digest, Sha256};

use super::refusal;
use super::schema::{Column, Schema, Table};
use super::sql::{Bound, Lists, all, column as named, raw, select_from};
use super::{dependents, filter, key, value};
use crate::bridge::defaults::{LABEL_LIMIT, PAGE_LIMIT};
use crate::bridge::{Access, Count, Failure, Field, Page, Principal, RecordId, Row, Scalar, Selection, Totals, Verbs};
use crate::identity::Caller;

/// Bytes of the hash that a revision is: enough that no two rows share one by accident.
const REVISION_BYTES: usize = 16;

/// An object's table, where the caller may see the object at all.
pub(super) fn object<'s>(schema: &'s Schema, caller: &Caller, object: &str) -> Result<&'s Table, Failure> {
    refusal::known(caller)?;
    schema.tables.get(object).filter(|table| table.served).ok_or_else(refusal::not_found)
}

/// Who is calling, and what they may do with an object.
pub(super) fn principal(schema: &Schema, caller: &Caller, name: &str) -> Principal {
    let access = object(schema, caller, name).ok().map(|table| Access {
        object: table.name.clone(),
        key: table.key_columns().map(|column| Field { nullable: false, ..column.field() }).collect(),
        fields: table.fields().map(Column::field).collect(),
        verbs: Verbs::LIST | Verbs::REMOVE,
        reversible: table.soft_delete.is_some(),
    });
    Principal { identity: caller.identity(), access, narrowing: None }
}

/// Which of the selected records this caller can see.
pub(super) fn selected(
    table: &Table,
    caller: &Caller,
    selection: &Selection,
    lists: &mut Lists,
) -> Result<Expr, Failure> {
    let selected = match selection {
        Selection::Every => None,
        Selection::Filter(terms) => Some(filter::condition(table, terms, lists)?),
        Selection::Ids(ids) => Some(key::among(table, ids, lists)),
    };
    Ok(all([seen(table, caller)].into_iter().chain(selected).collect()))
}

/// Which records this caller can see: those with a key that are not gone, and, for a user, those that the configuration
/// shows them.
pub(super) fn seen(table: &Table, caller: &Caller) -> Expr {
    let shown = match (&table.visible, caller.actor()) {
        (Some(predicate), Some(_)) => Some(predicated(predicate)),
        _ => None,
    };
    let there = table.soft_delete.map(|soft| {
        let mark = named(table, &table.columns[soft.place]);
        raw(if soft.flag { "(? IS NOT TRUE)" } else { "(? IS NULL)" }, [mark])
    });
    all([filter::key_fits(table)].into_iter().chain(there).chain(shown).collect())
}

/// A configured predicate. The line break ends a comment, should it end with one.
pub(super) fn predicated(predicate: &str) -> Expr {
    Expr::cust(format!("({predicate}\n)"))
}

/// One page of records.
pub(super) fn query(
    connection: &Connection,
    table: &Table,
    caller: &Caller,
    selection: &Selection,
    after: Option<&[Scalar]>,
    limit: u32,
) -> Result<Page, Failure> {
    let limit = limit.min(PAGE_LIMIT);
    if limit == 0 {
        return Ok(Page { rows: Vec::new(), more: false });
    }
    let mut lists = Lists::default();
    let mut condition = selected(table, caller, selection, &mut lists)?;
    if let Some(id) = after {
        condition = all(vec![condition, key::behind(connection, table, id)?]);
    }
    let shape = Shape::of(table);
    let mut statement = select_from(table);
    statement.exprs(shape.columns.iter().map(|place| named(table, &table.columns[*place]))).and_where(condition);
    key::order(table, &mut statement);
    // One more tells whether there is more.
    statement.limit(u64::from(limit) + 1);
    let mut prepared = Bound::select(&statement, lists, caller.actor()).prepare(connection).map_err(refusal::of)?;
    let mut found = prepared.raw_query();
    let mut page = Page { rows: Vec::new(), more: false };
    while let Some(row) = found.next().map_err(refusal::of)? {
        if page.rows.len() == limit as usize {
            page.more = true;
            break;
        }
        page.rows.push(shape.row(table, row).map_err(refusal::of)?);
    }
    Ok(page)
}

/// How many records are selected, and for ids what depends on them.
pub(super) fn totals(
    connection: &Connection,
    schema: &Schema,
    table: &Table,
    caller: &Caller,
    selection: &Selection,
) -> Result<Totals, Failure> {
    let mut lists = Lists::default();
    let mut statement = select_from(table);
    statement.expr(Expr::cust("count(*)")).and_where(selected(table, caller, selection, &mut lists)?);
    let bound = Bound::select(&statement, lists, caller.actor());
    let count = bound
        .prepare(connection)
        .and_then(|mut prepared| {
            let mut rows = prepared.raw_query();
            rows.next()?.map_or(Ok(0), |row| row.get::<_, i64>(0))
        })
        .map_err(refusal::of)?;
    let dependents = match selection {
        Selection::Ids(ids) => dependents::of(connection, schema, table, caller, ids)?,
        Selection::Every | Selection::Filter(_) => None,
    };
    Ok(Totals { count: Count::Exact(count.unsigned_abs()), dependents })
}

/// Which columns are read of a record, and what they are read for.
pub(super) struct Shape {
    /// Places in the table's columns.
    pub columns: Vec<usize>,
    key: Vec<usize>,
    label: Option<usize>,
    revision: Option<usize>,
    /// How many of the columns, from the first, are what is stored.
    stored: usize,
}

impl Shape {
    pub fn of(table: &Table) -> Shape {
        // Where a column tells that a record has changed, the rest of it need not be read.
        let wanted = |place: &usize| match table.revision {
            None => !table.columns[*place].generated,
            Some(_) => table.key.contains(place),
        };
        let mut columns: Vec<usize> = (0..table.columns.len()).filter(wanted).collect();
        let stored = columns.len();
        let mut place = |column: usize| {
            columns.iter().position(|read| *read == column).unwrap_or_else(|| {
                columns.push(column);
                columns.len() - 1
            })
        };
        let key = table.key.iter().map(|column| place(*column)).collect();
        let label = table.label.map(&mut place);
        let revision = table.revision.map(&mut place);
        Shape { columns, key, label, revision, stored }
    }

    /// The record of a row that was read with these columns first.
    pub fn row(&self, table: &Table, row: &SqlRow) -> rusqlite::Result<Row> {
        Ok(Row {
            id: self.id(table, row)?,
            label: self
                .label
                .map(|place| row.get_ref(place))
                .transpose()?
                .and_then(|text| value::label(text, LABEL_LIMIT)),
            revision: Some(self.revision(row)?),
        })
    }

    fn id(&self, table: &Table, row: &SqlRow) -> rusqlite::Result<RecordId> {
        let values = table.key_columns().zip(&self.key).map(|(column, place)| {
            let stored = row.get_ref(*place)?;
            // The condition has let only such records through as fit.
            value::read(column.type_, stored)
                .ok_or_else(|| rusqlite::Error::InvalidColumnType(*place, column.name.clone(), stored.data_type()))
        });
        values.collect()
    }

    /// Changes whenever the record does.
    pub fn revision(&self, row: &SqlRow) -> rusqlite::Result<String> {
        if let Some(text) = self.revision.map(|place| row.get_ref(place)).transpose()?.and_then(configured) {
            return Ok(text);
        }
        let mut hash = Sha256::new();
        for place in 0..self.stored {
            // Each value with its type and length, so that no two rows run together to the same bytes.
            let (type_, bytes) = match row.get_ref(place)? {
                ValueRef::Null => (0_u8, Vec::new()),
                ValueRef::Integer(value) => (1, value.to_be_bytes().to_vec()),
                ValueRef::Real(value) => (2, value.to_bits().to_be_bytes().to_vec()),
                ValueRef::Text(bytes) => (3, bytes.to_vec()),
                ValueRef::Blob(bytes) => (4, bytes.to_vec()),
            };
            hash.update([type_]);
            hash.update((bytes.len() as u64).to_be_bytes());
            hash.update(bytes);
        }
        Ok(hash.finalize().iter().take(REVISION_BYTES).map(|byte| format!("{byte:02x}")).collect())
    }
}

/// The configured column's value as text; none where it has no value.
fn configured(value: ValueRef) -> Option<String> {
    match value {
        ValueRef::Null => None,
        ValueRef::Integer(value) => Some(value.to_string()),
        ValueRef::Real(value) => Some(value.to_string()),
        ValueRef::Text(bytes) => Some(String::from_utf8_lossy(bytes).into_owned()),
        ValueRef::Blob(bytes) => Some(bytes.iter().map(|byte| format!("{byte:02x}")).collect()),
    }
}
