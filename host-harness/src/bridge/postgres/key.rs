//! Records by their keys: finding one or many, reading their ids, and what comes behind one in the engine's own order.

use super::column::{Column, Stored};
use super::compare::{self, Bound, one_of, split, stored};
use super::refusal;
use super::schema::Table;
use super::sql::{Moment, Params, all};
use crate::bridge::memory::is_date;
use crate::bridge::{Failure, FieldType, RecordId, Scalar};

/// Binds an id, one parameter for each field of the key; their names, or `None` for an id that no record can have.
pub(super) fn bind(table: &Table, id: &[Scalar], params: &mut Params) -> Option<Vec<String>> {
    let values = values(table, id)?;
    Some(table.key_columns().zip(values).map(|(column, value)| compare::bind(column, value, params)).collect())
}

/// The record with the id that was bound by these names.
pub(super) fn is(table: &Table, bound: &[String]) -> String {
    all(table.key_columns().zip(bound).map(|(column, bound)| compare::is(column, bound)))
}

/// The records with one of these ids.
pub(super) fn among(table: &Table, ids: &[RecordId], params: &mut Params) -> String {
    let rows: Vec<Vec<Bound>> = ids.iter().filter_map(|id| values(table, id)).collect();
    if rows.is_empty() {
        return "FALSE".to_owned();
    }
    let mut of_columns: Vec<Vec<Bound>> = table.key.iter().map(|_| Vec::with_capacity(rows.len())).collect();
    for row in rows {
        for (values, value) in of_columns.iter_mut().zip(row) {
            values.push(value);
        }
    }
    let columns: Vec<&Column> = table.key_columns().collect();
    if let ([column], 1) = (columns.as_slice(), of_columns.len()) {
        return one_of(column, of_columns.remove(0), params);
    }
    // One array for each field, taken side by side.
    let mut arrays = Vec::new();
    let mut bytes = Vec::new();
    for (column, values) in columns.iter().zip(of_columns) {
        match split(values) {
            (texts, moments) if texts.is_empty() => {
                let array = params.moments(moments, column.stored == Stored::Zoned);
                bytes.push((column.sql.clone(), array.clone()));
                arrays.push(array);
            }
            (texts, _) => {
                let array = params.texts(texts);
                arrays.push(format!("CAST({array} AS {}[])", column.cast));
                bytes.push(match column.loose {
                    true => (column.bytes(), array),
                    false => (column.sql.clone(), format!("CAST({array} AS {}[])", column.cast)),
                });
            }
        }
    }
    let names: Vec<&str> = columns.iter().map(|column| column.sql.as_str()).collect();
    let found = format!("(({}) IN (SELECT * FROM unnest({})))", names.join(", "), arrays.join(", "));
    if columns.iter().all(|column| !column.loose) {
        return found;
    }
    let (names, arrays): (Vec<String>, Vec<String>) = bytes.into_iter().unzip();
    format!("({found} AND ({}) IN (SELECT * FROM unnest({})))", names.join(", "), arrays.join(", "))
}

fn values(table: &Table, id: &[Scalar]) -> Option<Vec<Bound>> {
    if id.len() != table.key.len() {
        return None;
    }
    table.key_columns().zip(id).map(|(column, value)| readable(column, value)).collect()
}

/// The value as the column stores it, where PostgreSQL can read it at all: an id that is none must be an id of no record
/// rather than an error.
fn readable(column: &Column, value: &Scalar) -> Option<Bound> {
    let bound = stored(column, value).ok()??;
    match (column.type_, &bound) {
        (FieldType::Uuid, Bound::Text(text)) if !is_uuid(text) => None,
        (FieldType::Date, Bound::Text(text)) if !is_date(text) => None,
        _ => Some(bound),
    }
}

fn is_uuid(text: &str) -> bool {
    text.len() == 36
        && text.bytes().enumerate().all(|(at, byte)| match at {
            8 | 13 | 18 | 23 => byte == b'-',
            _ => byte.is_ascii_hexdigit(),
        })
}

/// What reads a key's field as text.
pub(super) fn read_as_text(column: &Column) -> String {
    let sql = &column.sql;
    match column.type_ {
        // 1.50 and 1.5 are one key.
        FieldType::Decimal => format!("CAST(trim_scale({sql}) AS pg_catalog.text)"),
        FieldType::Date => format!("to_char({sql}, 'YYYY-MM-DD')"),
        FieldType::Instant => {
            format!("CAST(CAST(EXTRACT(EPOCH FROM {sql}) * 1000000 AS pg_catalog.int8) AS pg_catalog.text)")
        }
        _ => column.text(),
    }
}

/// The value of a key's field that was read as text.
pub(super) fn value(column: &Column, text: &str) -> Option<Scalar> {
    Some(match column.type_ {
        FieldType::Boolean => Scalar::Boolean(text == "true"),
        FieldType::Integer => Scalar::Integer(text.parse().ok()?),
        FieldType::Decimal => match text.parse() {
            Ok(value) => Scalar::Integer(value),
            Err(_) => Scalar::Decimal(text.to_owned()),
        },
        FieldType::Instant => Scalar::Instant(Moment::instant(text.parse().ok()?)),
        FieldType::Text | FieldType::Uuid | FieldType::Date => Scalar::Text(text.to_owned()),
        FieldType::Float | FieldType::TextList | FieldType::Opaque => return None,
    })
}

/// Whether a record's whole key fits: else nobody can see it.
pub(super) fn fits(table: &Table) -> Option<String> {
    let parts: Vec<String> = table.key_columns().filter_map(Column::fits).collect();
    (!parts.is_empty()).then(|| all(parts))
}

/// The one order: the primary key's own.
pub(super) fn order(table: &Table) -> String {
    table.key_columns().map(|column| column.sql.as_str()).collect::<Vec<_>>().join(", ")
}

/// The records behind the one with this id, which need not be there any more.
pub(super) fn behind(table: &Table, id: &[Scalar], params: &mut Params) -> Result<String, Failure> {
    let values = values(table, id).ok_or_else(refusal::no_such_place)?;
    let places: Vec<String> = table
        .key_columns()
        .zip(values)
        .map(|(column, value)| match compare::bind(column, value, params) {
            bound if column.type_ == FieldType::Instant => bound,
            bound => format!("CAST({bound} AS {})", column.cast),
        })
        .collect();
    Ok(format!("(({}) > ({}))", order(table), places.join(", ")))
}
