//! Removing one record, judged by everything that a real engine would judge it by.

use std::collections::BTreeSet;

use super::super::{Effect, Failure, Identity, Refusal, Removal, Scalar};
use super::query::{id, not_found, offered, passes, refused, revision};
use super::reach::{Place, Reached, reached};
use super::tables::{Change, Object, Row, Tables, Verb, Verdict};
use super::value::Value;

/// Removes the record, what depends on it by `cascade` included.
///
/// The order of judgement is that of an SQL engine: the record is looked up as the caller sees it,
/// then its revision, the caller's permission, the rules of the record and of what goes with it, and last
/// the foreign keys.
pub(super) fn remove(
    tables: &mut Tables,
    who: &Identity,
    name: &str,
    wanted: &[Scalar],
    expected: Option<&str>,
) -> Result<Removal, Failure> {
    let object = offered(tables, name, who).ok_or_else(not_found)?;
    let visible = |row: &&Row| passes(&object.visible, row, who);
    let is_it = |row: &Row| id(object, row).is_some_and(|id| id == wanted);
    let Some(at) = object.rows.iter().position(|row| is_it(row) && visible(&row)) else {
        return Ok(Removal::Absent);
    };
    let row = &object.rows[at];
    if expected.is_some() && revision(tables, row).as_deref() != expected {
        return Ok(Removal::Changed);
    }
    if object.denied.contains(&Verb::Remove) || !passes(&object.removable, row, who) {
        return Err(not_permitted());
    }
    let (found, gone) = reached(tables, &[(name.to_owned(), at)]);
    let mut outcome = Removal::Removed;
    match verdict(object, row) {
        None => {}
        Some(Verdict::Warning(sentence)) => {
            outcome = Removal::RemovedWithWarning(sentence.clone());
        }
        Some(verdict) => return answer(verdict),
    }
    for (child, place) in gone.iter().filter(|(child, place)| (child.as_str(), *place) != (name, at)) {
        let ruled = tables.objects.get(child).and_then(|object| verdict(object, &object.rows[*place]));
        match ruled {
            None | Some(Verdict::Warning(_)) => {}
            // A record that stays keeps the one it points to.
            Some(Verdict::Kept | Verdict::Absent | Verdict::Changed) => return Err(restricted()),
            Some(verdict) => return answer(verdict),
        }
    }
    if found.iter().any(|reached| reached.effect == Effect::Restrict) {
        return Err(restricted());
    }
    detach(tables, &found);
    take_away(tables, &gone);
    Ok(outcome)
}

/// What the first rule that applies to the record says.
fn verdict<'a>(object: &'a Object, row: &Row) -> Option<&'a Verdict> {
    let applies = |field: &str, values: &[Value]| values.contains(row.get(field).unwrap_or(&Value::Null));
    object.locks.iter().find(|lock| applies(&lock.field, &lock.values)).map(|lock| &lock.answer)
}

fn answer(verdict: &Verdict) -> Result<Removal, Failure> {
    match verdict {
        Verdict::Kept => Ok(Removal::Kept),
        Verdict::Absent => Ok(Removal::Absent),
        Verdict::Changed => Ok(Removal::Changed),
        Verdict::Warning(sentence) => Ok(Removal::RemovedWithWarning(sentence.clone())),
        Verdict::Refused(refusal) => Err(Failure::Refused(Refusal {
            code: refusal.code.clone(),
            status: refusal.status,
            reason: refusal.reason.clone(),
            retryable: refusal.retryable,
        })),
        Verdict::Faulted(sentence) => Err(Failure::Faulted(sentence.clone())),
        Verdict::Cancelled => Err(Failure::Cancelled),
        Verdict::DeadlineExceeded => Err(Failure::DeadlineExceeded),
        Verdict::Unsupported => Err(Failure::Unsupported),
    }
}

fn detach(tables: &mut Tables, found: &[Reached]) {
    for reached in found.iter().filter(|reached| reached.effect == Effect::Detach) {
        let (name, at) = &reached.place;
        if let Some(row) = tables.objects.get_mut(name).and_then(|object| object.rows.get_mut(*at)) {
            row.extend(reached.fields.iter().map(|field| (field.clone(), Value::Null)));
        }
    }
}

fn take_away(tables: &mut Tables, gone: &BTreeSet<Place>) {
    // From the back, so that the places in front stay what they are.
    for (name, at) in gone.iter().rev() {
        if let Some(object) = tables.objects.get_mut(name) {
            object.rows.remove(*at);
        }
    }
}

fn not_permitted() -> Failure {
    refused("PERMISSION_DENIED", 403, "This caller may not remove this record.".into())
}

fn restricted() -> Failure {
    refused("DELETE_RESTRICTED", 409, "Other records depend on this one.".into())
}

/// Does what somebody else does, past every rule.
pub(super) fn apply(tables: &mut Tables, change: &Change) -> Result<(), String> {
    let (Change::Insert { object, .. } | Change::Update { object, .. } | Change::Delete { object, .. }) = change;
    let rows = match tables.objects.get_mut(object) {
        Some(object) => &mut object.rows,
        None => return Err(format!("there is no object {object:?}")),
    };
    let place = |key: &Row| {
        let is_it = |row: &Row| key.iter().all(|(name, value)| row.get(name) == Some(value));
        rows.iter().position(is_it).ok_or_else(|| format!("{object:?} has no record {key:?}"))
    };
    match change {
        Change::Insert { row, .. } => rows.push(row.clone()),
        Change::Update { key, set, .. } => {
            let at = place(key)?;
            rows[at].extend(set.clone());
        }
        Change::Delete { key, .. } => {
            let at = place(key)?;
            rows.remove(at);
        }
    }
    Ok(())
}
