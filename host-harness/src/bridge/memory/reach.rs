//! What the removal of records reaches through foreign keys.

use std::collections::BTreeSet;

use super::super::{Dependents, Effect, Identity, RecordId};
use super::query::{id, passes};
use super::tables::{Reference, Row, Tables};
use super::value::Value;

/// A record by its object's name and its place among the object's rows.
pub(super) type Place = (String, usize);

/// One record that a removal reaches.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Reached {
    pub(super) place: Place,
    pub(super) effect: Effect,
    /// The fields that lose their link, where the effect is to detach.
    pub(super) fields: Vec<String>,
}

/// Everything that the removal of these records reaches, and the records that go, the first ones included.
pub(super) fn reached(tables: &Tables, first: &[Place]) -> (Vec<Reached>, BTreeSet<Place>) {
    let mut gone: BTreeSet<Place> = first.iter().cloned().collect();
    let mut found = Vec::new();
    let mut open = first.to_vec();
    while let Some(place) = open.pop() {
        for (child, reference) in pointing_at(tables, &place) {
            let reached = Reached { place: child, effect: reference.on_delete, fields: reference.fields.clone() };
            if reached.effect == Effect::Cascade && gone.insert(reached.place.clone()) {
                open.push(reached.place.clone());
            }
            found.push(reached);
        }
    }
    found.retain(|reached| match reached.effect {
        Effect::Cascade => !first.contains(&reached.place),
        Effect::Restrict | Effect::Detach => !gone.contains(&reached.place),
    });
    found.sort();
    found.dedup();
    (found, gone)
}

/// The records that point at this one, each with the foreign key by which it does.
fn pointing_at<'a>(tables: &'a Tables, place: &Place) -> Vec<(Place, &'a Reference)> {
    let Some((parent, row)) = tables.objects.get(&place.0).and_then(|object| Some((object, object.rows.get(place.1)?)))
    else {
        return Vec::new();
    };
    let key: Vec<&Value> = parent.key.iter().filter_map(|name| row.get(name)).collect();
    let points = |child: &Row, reference: &Reference| {
        let values: Vec<&Value> = reference.fields.iter().filter_map(|name| child.get(name)).collect();
        values == key && !values.contains(&&Value::Null)
    };
    let mut found = Vec::new();
    for (name, object) in &tables.objects {
        for reference in object.references.iter().filter(|reference| reference.object == place.0) {
            let rows = object.rows.iter().enumerate();
            found.extend(
                rows.filter(|(_, child)| points(child, reference)).map(|(at, _)| ((name.clone(), at), reference)),
            );
        }
    }
    found
}

/// What this caller sees of what the removal of these ids would reach, sorted by object and effect.
pub(super) fn dependents(tables: &Tables, who: &Identity, name: &str, ids: &[RecordId]) -> Vec<Dependents> {
    let Some(object) = tables.objects.get(name) else {
        return Vec::new();
    };
    let first: Vec<Place> = object
        .rows
        .iter()
        .enumerate()
        .filter(|(_, row)| id(object, row).is_some_and(|id| ids.contains(&id)))
        .map(|(at, _)| (name.to_owned(), at))
        .collect();
    let (found, _) = reached(tables, &first);
    let visible = |place: &Place| {
        tables
            .objects
            .get(&place.0)
            .is_some_and(|object| !object.hidden && passes(&object.visible, &object.rows[place.1], who))
    };
    let seen: BTreeSet<(String, u8, usize)> = found
        .iter()
        .filter(|reached| visible(&reached.place))
        .map(|reached| (reached.place.0.clone(), reached.effect as u8, reached.place.1))
        .collect();
    let mut totals: Vec<Dependents> = Vec::new();
    for (object, effect, _) in seen {
        match totals.last_mut() {
            Some(last) if last.object == object && last.effect as u8 == effect => last.count += 1,
            _ => {
                let effect = [Effect::Cascade, Effect::Restrict, Effect::Detach]
                    .into_iter()
                    .find(|one| *one as u8 == effect)
                    .unwrap_or(Effect::Restrict);
                totals.push(Dependents { object, count: 1, effect });
            }
        }
    }
    totals
}
