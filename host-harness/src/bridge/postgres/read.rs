//! What a caller can see: access, records, totals.

use tokio_postgres::{Error, Row as SqlRow};

use super::column::Column;
use super::rights::Rights;
use super::rules::marking;
use super::schema::{Schema, Table};
use super::sql::{Params, Statement, all, get};
use super::{filter, key, refusal};
use crate::bridge::defaults::{LABEL_LIMIT, PAGE_LIMIT};
use crate::bridge::{Access, Failure, Field, Page, Row, Scalar, Selection, Verbs};
use crate::identity::Caller;

/// An object's table.
pub(super) fn object<'s>(schema: &'s Schema, object: &str) -> Result<&'s Table, Failure> {
    schema.tables.get(object).filter(|table| table.served).ok_or_else(refusal::not_found)
}

/// What the caller may do with the table's records.
pub(super) fn access(table: &Table, rights: &Rights) -> Access {
    let mut verbs = Verbs::LIST;
    verbs.set(Verbs::REMOVE, rights.removes(table));
    Access {
        object: table.name.clone(),
        key: table.key_columns().map(|column| Field { nullable: false, ..column.field() }).collect(),
        fields: table.fields().filter(|column| rights.reads(column)).map(Column::field).collect(),
        verbs,
        reversible: table.soft_delete.is_some(),
    }
}

/// Which of the selected records this caller can see.
pub(super) fn selected(
    table: &Table,
    caller: &Caller,
    selection: &Selection,
    params: &mut Params,
) -> Result<String, Failure> {
    let selected = match selection {
        Selection::Every => None,
        Selection::Filter(terms) => {
            let fields: Vec<Column> = table.fields().cloned().collect();
            Some(filter::condition(&fields, terms, params)?)
        }
        Selection::Ids(ids) => Some(key::among(table, ids, params)),
    };
    Ok(all(selected.into_iter().chain([seen(table, caller, params)])))
}

/// Which records this caller can see, beside what row security shows: those with a key that are not gone, and, for a
/// user, those that the configuration shows them.
pub(super) fn seen(table: &Table, caller: &Caller, params: &mut Params) -> String {
    let mut parts: Vec<String> = key::fits(table).into_iter().collect();
    parts.extend(table.soft_delete.map(|place| marking(&table.columns[place]).1));
    if let Some(actor) = caller.actor() {
        parts.extend(table.visible.as_ref().map(|predicate| predicate.bind(actor, params)));
    }
    all(parts)
}

/// What changes whenever a record does, as text; `None` where the role can't read it.
pub(super) fn revision(table: &Table, rights: &Rights) -> Option<String> {
    let version = rights.version.then(|| format!("CAST({}.xmin AS pg_catalog.text)", table.alias));
    let own = table.revision.map(|place| &table.columns[place]).filter(|column| rights.reads(column));
    match (own, version) {
        (Some(own), Some(version)) => Some(format!("coalesce({}, {version})", own.text())),
        (Some(own), None) => Some(own.text()),
        (None, version) => version,
    }
}

/// The statement of one page; the caller sees one row more where there is more.
pub(super) fn page(
    table: &Table,
    caller: &Caller,
    rights: &Rights,
    selection: &Selection,
    after: Option<&[Scalar]>,
    limit: u32,
) -> Result<Statement, Failure> {
    let mut params = Params::default();
    let mut condition = selected(table, caller, selection, &mut params)?;
    if let Some(id) = after {
        condition = all([condition, key::behind(table, id, &mut params)?]);
    }
    let mut columns: Vec<String> = table.key_columns().map(key::read_as_text).collect();
    let label = table.label.map(|place| &table.columns[place]).filter(|column| rights.reads(column));
    columns.push(
        label.map_or("NULL::pg_catalog.text".to_owned(), |label| format!("left({}, {LABEL_LIMIT})", label.text())),
    );
    columns.push(revision(table, rights).unwrap_or("NULL::pg_catalog.text".to_owned()));
    let text = format!(
        "SELECT {} FROM {} WHERE {condition} ORDER BY {} LIMIT {}",
        columns.join(", "),
        table.from,
        key::order(table),
        u64::from(limit.min(PAGE_LIMIT)) + 1
    );
    Ok(Statement::once(text, params))
}

/// The page that the statement gave.
pub(super) fn rows(table: &Table, rows: &[SqlRow], limit: u32) -> Result<Page, Error> {
    let limit = limit.min(PAGE_LIMIT) as usize;
    let fields = table.key.len();
    let mut page = Page { rows: Vec::new(), more: rows.len() > limit };
    for row in rows.iter().take(limit) {
        let mut id = Vec::with_capacity(fields);
        for (place, column) in table.key_columns().enumerate() {
            // The condition has let only such records through as fit.
            id.extend(key::value(column, get(row, place)?));
        }
        page.rows.push(Row { id, label: get(row, fields)?, revision: get(row, fields + 1)? });
    }
    Ok(page)
}

/// The statement that counts what is selected.
pub(super) fn count(table: &Table, caller: &Caller, selection: &Selection) -> Result<Statement, Failure> {
    let mut params = Params::default();
    let condition = selected(table, caller, selection, &mut params)?;
    Ok(Statement::once(format!("SELECT pg_catalog.count(*) FROM {} WHERE {condition}", table.from), params))
}
