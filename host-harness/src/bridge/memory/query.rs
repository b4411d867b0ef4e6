//! Reading: who sees what, one page at a time, and how many there are.

use std::cmp::Ordering;

use super::super::{Count, Failure, Identity, Page, RecordId, Refusal, Row as BridgeRow, Scalar, Selection, Totals};
use super::decimal::Decimal;
use super::tables::{Counts, Object, Row, Tables, Test};
use super::value::{Stored, Value};
use super::{filter, reach};

/// The object, where this caller may know of it.
pub(super) fn offered<'a>(tables: &'a Tables, name: &str, who: &Identity) -> Option<&'a Object> {
    let known = !matches!(who, Identity::Anonymous);
    tables.objects.get(name).filter(|object| known && !object.hidden)
}

/// Whether the tests let this caller at the record. They are made for users: the system, which is the host by
/// its own configuration, passes them all, and nobody known passes none.
pub(super) fn passes(tests: &[Test], row: &Row, who: &Identity) -> bool {
    let user = match who {
        Identity::System => return true,
        Identity::Anonymous => return false,
        Identity::User(actor) => &actor.id,
    };
    let holds = |test: &Test| match test {
        Test::Actor { actors } => actors.contains(user),
        Test::Field { field, values } => values.iter().any(|value| match value {
            Value::Text(text) if text == ":actor" => row.get(field) == Some(&Value::Text(user.clone())),
            value => row.get(field).unwrap_or(&Value::Null) == value,
        }),
    };
    tests.is_empty() || tests.iter().any(holds)
}

/// The record's key; `None` where it does not fit the key's types, which makes the record invisible.
pub(super) fn id(object: &Object, row: &Row) -> Option<RecordId> {
    let part = |name: &String| Stored::read(object.field(name)?.kind, row.get(name)).key();
    object.key.iter().map(part).collect()
}

/// The order of keys: field by field, numbers by value, text by bytes.
fn order(one: &[Scalar], other: &[Scalar]) -> Ordering {
    let part = |(one, other): (&Scalar, &Scalar)| match (one, other) {
        (Scalar::Decimal(_), Scalar::Decimal(_)) => Decimal::of(one).cmp(&Decimal::of(other)),
        _ => one.cmp(other),
    };
    one.iter().zip(other).map(part).find(|order| order.is_ne()).unwrap_or(Ordering::Equal)
}

/// Every id of the object, in order.
pub(super) fn ids(object: &Object) -> Vec<RecordId> {
    let mut ids: Vec<_> = object.rows.iter().filter_map(|row| id(object, row)).collect();
    ids.sort_by(|one, other| order(one, other));
    ids
}

/// A fingerprint of what the record holds.
pub(super) fn revision(tables: &Tables, row: &Row) -> Option<String> {
    use sha2::{Digest, Sha256};
    if tables.revisions == Some(false) {
        return None;
    }
    // A map's debug form shows every name and value, quoted, in the order of the names.
    let digest = Sha256::digest(format!("{row:?}").as_bytes());
    Some(digest.iter().take(8).map(|byte| format!("{byte:02x}")).collect())
}

/// The records selected, as the caller sees them, in order.
pub(super) fn selected<'a>(
    object: &'a Object,
    selection: &Selection,
    who: &Identity,
) -> Result<Vec<(RecordId, &'a Row)>, Failure> {
    if let Selection::Filter(terms) = selection
        && let Some(reason) = filter::fault(object, terms)
    {
        return Err(refused("FILTER_REFUSED", 400, reason));
    }
    let wanted = |id: &RecordId, row: &Row| match selection {
        Selection::Every => true,
        Selection::Filter(terms) => filter::matches(object, terms, row),
        Selection::Ids(ids) => ids.contains(id),
    };
    let mut found: Vec<_> = object
        .rows
        .iter()
        .filter(|row| passes(&object.visible, row, who))
        .filter_map(|row| Some((id(object, row)?, row)))
        .filter(|(id, row)| wanted(id, row))
        .collect();
    found.sort_by(|(one, _), (other, _)| order(one, other));
    Ok(found)
}

pub(super) fn page(
    tables: &Tables,
    who: &Identity,
    name: &str,
    selection: &Selection,
    after: Option<&[Scalar]>,
    limit: u32,
) -> Result<Page, Failure> {
    let object = offered(tables, name, who).ok_or_else(not_found)?;
    let mut found = selected(object, selection, who)?;
    if let Some(after) = after {
        found.retain(|(id, _)| order(id, after).is_gt());
    }
    let limit = limit.min(tables.page.unwrap_or(limit)) as usize;
    let more = found.len() > limit;
    let label = |row: &Row| match row.get(object.label.as_ref()?)? {
        Value::Text(text) => Some(text.clone()),
        Value::Integer(number) => Some(number.to_string()),
        _ => None,
    };
    let rows = found
        .into_iter()
        .take(limit)
        .map(|(id, row)| BridgeRow { id, label: label(row), revision: revision(tables, row) })
        .collect();
    Ok(Page { rows, more })
}

pub(super) fn totals(tables: &Tables, who: &Identity, name: &str, selection: &Selection) -> Result<Totals, Failure> {
    let object = offered(tables, name, who).ok_or_else(not_found)?;
    let found = selected(object, selection, who)?;
    let number = found.len() as u64;
    let count = match tables.counts {
        Counts::Unsupported => return Err(Failure::Unsupported),
        Counts::AtLeast(end) if number > end => Count::AtLeast(end),
        Counts::AtLeast(_) | Counts::Exact => Count::Exact(number),
    };
    let told = matches!(selection, Selection::Ids(_)) && !tables.dependents_unknown;
    let ids = || found.iter().map(|(id, _)| id.clone()).collect::<Vec<_>>();
    let dependents = told.then(|| reach::dependents(tables, who, name, &ids()));
    Ok(Totals { count, dependents })
}

/// What every object that is not there or hidden answers.
pub(super) fn not_found() -> Failure {
    refused("OBJECT_NOT_FOUND", 404, "There is no such object.".into())
}

pub(super) fn refused(code: &str, status: u16, reason: String) -> Failure {
    Failure::Refused(Refusal { code: code.into(), status, reason, retryable: false })
}
