//! Ids of records: from the arguments by the key's fields, and back as exact text (contract, section 4).

use crate::bridge::{Field, FieldType, RecordId, Scalar};
use crate::json::Json;
use crate::near;
use crate::prelude::*;
use crate::refused::Refused;
use crate::scalar;
use crate::text::{NAME_LIMIT, quote};

/// Reads an id: a string or an integer for a key of one field, else an object of all key fields.
/// `place` is where it stands, for the sentence: `recordIds[3]`.
pub fn read(key: &[Field], json: &Json, place: &str) -> Result<RecordId, Refused> {
    match (key, json) {
        ([field], Json::Text(_) | Json::Number(_)) => Ok(vec![value(field, json, place)?]),
        ([field], _) => Err(Refused::invalid(format!(
            "{place} is {}; the key of this object is the one field {}, so an id is a string or an integer.",
            json.kind(),
            quote(&field.name, NAME_LIMIT)
        ))),
        (fields, _) => read_keys(fields, json, place),
    }
}

/// Reads an id that names every field of the key, and nothing else, however many there are.
pub fn read_keys(fields: &[Field], json: &Json, place: &str) -> Result<RecordId, Refused> {
    let Json::Object(members) = json else {
        return Err(Refused::invalid(format!("{place} is {}. {}", json.kind(), whole(fields))));
    };
    let known = |name: &str| fields.iter().any(|field| field.name == name);
    if let Some((name, _)) = members.iter().find(|(name, _)| !known(name)) {
        return Err(Refused::invalid(format!(
            "{place} has {}, which is no field of the key.{} {}",
            quote(name, NAME_LIMIT),
            near::did_you_mean(near::nearest(name, fields.iter().map(|field| field.name.as_str()))),
            whole(fields)
        )));
    }
    fields
        .iter()
        .map(|field| match json.get(&field.name) {
            None | Some(Json::Null) => {
                Err(Refused::invalid(format!("{place} has no {}. {}", quote(&field.name, NAME_LIMIT), whole(fields))))
            }
            Some(part) => value(field, part, &format!("{place}.{}", quote(&field.name, NAME_LIMIT))),
        })
        .collect()
}

/// An id as it leaves: a string for a key of one field, else an object of strings.
pub fn show(key: &[Field], id: &[Scalar]) -> Json {
    match id {
        [value] => Json::Text(scalar::show(value)),
        values => Json::Object(
            key.iter()
                .zip(values)
                .map(|(field, value)| (field.name.clone(), Json::Text(scalar::show(value))))
                .collect(),
        ),
    }
}

/// An id as a person reads it.
pub fn name(key: &[Field], id: &[Scalar]) -> String {
    match show(key, id) {
        Json::Text(text) => text,
        json => json.write(),
    }
}

/// An id as a person types it: the values of the key, one behind the other.
pub fn typed(id: &[Scalar]) -> String {
    id.iter().map(scalar::show).collect::<Vec<_>>().join(" ")
}

/// The one form of an id: equal ids are equal in it.
pub fn normal(id: &[Scalar]) -> RecordId {
    id.iter().map(scalar::normal).collect()
}

/// Whether an id that the host sent is one of this key.
pub fn fits(key: &[Field], id: &[Scalar]) -> bool {
    key.len() == id.len() && key.iter().zip(id).all(|(field, value)| scalar::fits(field.type_, value))
}

fn value(field: &Field, json: &Json, place: &str) -> Result<Scalar, Refused> {
    // Ids leave as text, and come back as they were shown.
    if field.type_ == FieldType::Boolean
        && let Json::Text(text) = json
        && let "true" | "false" = text.as_str()
    {
        return Ok(Scalar::Boolean(text == "true"));
    }
    scalar::read(field, json).map_err(|takes| {
        Refused::invalid(format!(
            "{place} is no value of the key field {}, which takes {takes}.",
            quote(&field.name, NAME_LIMIT)
        ))
    })
}

fn whole(fields: &[Field]) -> String {
    if let [field] = fields {
        return format!("It takes the key's one field, and nothing else: {}.", quote(&field.name, NAME_LIMIT));
    }
    format!(
        "An id of this object is an object with every field of the key, and nothing else: {}.",
        near::list(fields.iter().map(|field| field.name.as_str()))
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_shown_id_can_be_sent_back() {
        let field = |name: &str, type_| Field { name: name.into(), type_, nullable: false };
        let key = [field("done", FieldType::Boolean), field("n", FieldType::Integer), field("p", FieldType::Decimal)];
        let id = vec![Scalar::Boolean(true), Scalar::Integer(-7), Scalar::Decimal("12.5".into())];
        assert_eq!(read(&key, &show(&key, &id), "recordIds[0]"), Ok(id));
    }
}
