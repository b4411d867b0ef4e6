//! The strict door: a call's arguments, checked against the tool's own list of them before anything else
//! happens (contract, sections 1 and 2).

use crate::instant;
use crate::json::{Json, object};
use crate::near;
use crate::prelude::*;
use crate::refused::Refused;
use crate::text::{NAME_LIMIT, quote};

/// Bytes of a call's arguments: a thousand ids of 256 bytes.
pub const MAX_BYTES: usize = 256 * 1024;

/// An argument of a tool: the door, the input schema and the error messages all read this one list.
pub struct Argument {
    /// Its name.
    pub name: &'static str,
    /// What it takes.
    pub kind: Kind,
    /// Whether every call needs it.
    pub required: bool,
    /// What it means, for the caller.
    pub description: &'static str,
}

/// What an argument takes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// A string.
    Text,
    /// `true` or `false`.
    Flag,
    /// A filter.
    Filter,
    /// One id.
    Id,
    /// A list of ids.
    Ids,
    /// An object of key fields.
    Keys,
    /// A list of texts.
    Texts,
    /// A point in time.
    Instant,
}

/// Texts in one list argument.
const MOST_TEXTS: usize = 50;

/// The argument that attests.
pub const CONFIRM: Argument = Argument {
    name: "confirm",
    kind: Kind::Flag,
    required: false,
    description: "true attests that whoever asked for this has seen what will go and agrees. Without it nothing is deleted \
                  and a preview comes back.",
};

/// The argument that holds a confirmed call to what was shown.
pub const PREVIEW_DIGEST: Argument = Argument {
    name: "previewDigest",
    kind: Kind::Text,
    required: false,
    description: "The digest of a preview: delete only if exactly what it showed would still go.",
};

/// What callers write for the real names; each counts only for a tool that has the real one.
const ALIASES: [(&str, &str); 25] = [
    ("filter", "where"),
    ("filters", "where"),
    ("conditions", "where"),
    ("criteria", "where"),
    ("ids", "recordIds"),
    ("id", "recordIds"),
    ("record_id", "recordIds"),
    ("record_ids", "recordIds"),
    ("recordId", "recordIds"),
    ("object", "objectName"),
    ("table", "objectName"),
    ("entity", "objectName"),
    ("confirmed", "confirm"),
    ("id", "recordId"),
    ("record_id", "recordId"),
    ("recordIds", "recordId"),
    ("key", "keys"),
    ("primaryKey", "keys"),
    ("recordIds", "ids"),
    ("id", "ids"),
    ("scope", "collection"),
    ("stream", "collection"),
    ("after", "since"),
    ("before", "until"),
    ("tag", "tags"),
];

/// The arguments as JSON, before it is known which tool is meant: size and syntax.
pub fn read(text: &str) -> Result<Json, Refused> {
    if text.len() > MAX_BYTES {
        return Err(Refused::invalid(format!(
            "The arguments have {} bytes; at most {MAX_BYTES} are taken. Split the call.",
            text.len()
        )));
    }
    match Json::read(text) {
        Ok(json @ Json::Object(_)) => Ok(json),
        Ok(other) => Err(Refused::invalid(format!("The arguments must be a JSON object, and are {}.", other.kind()))),
        Err(unreadable) => Err(Refused::invalid(unreadable.0)),
    }
}

/// Checks that the arguments are those of the tool: none unknown, none mistyped, none missing.
pub fn check(tool: &str, arguments: &[Argument], given: &Json) -> Result<(), Refused> {
    let Json::Object(members) = given else {
        return Err(Refused::invalid("The arguments must be a JSON object."));
    };
    let missing: Vec<&str> = arguments
        .iter()
        .filter(|argument| argument.required && given.get(argument.name).is_none())
        .map(|argument| argument.name)
        .collect();
    let find = |name: &str| arguments.iter().find(|argument| argument.name == name);
    if let Some((name, _)) = members.iter().find(|(name, _)| find(name).is_none()) {
        let names = || arguments.iter().map(|argument| argument.name);
        let alias = ALIASES.iter().find(|(alias, real)| alias == name && find(real).is_some()).map(|(_, real)| *real);
        let near = alias.or_else(|| near::nearest(name, names()));
        let and_missing =
            if missing.is_empty() { String::new() } else { format!(" Missing besides: {}.", near::list(missing)) };
        return Err(Refused::invalid(format!(
            "{tool} has no argument {}.{} It takes {}.{and_missing} Nothing was deleted.",
            quote(name, NAME_LIMIT),
            near::did_you_mean(near),
            near::list(names())
        )));
    }
    for (name, value) in members {
        if let Some(argument) = find(name) {
            argument.kind.check(name, value)?;
        }
    }
    if !missing.is_empty() {
        return Err(Refused::invalid(format!("{tool} needs {}. Nothing was deleted.", near::list(missing))));
    }
    Ok(())
}

/// A text argument, which the door has let through; every tool has it checked before it asks.
pub fn text<'a>(arguments: &'a Json, name: &str) -> Result<&'a str, Refused> {
    match arguments.get(name) {
        Some(Json::Text(text)) => Ok(text),
        _ => Err(unfit(name, "must be a string")),
    }
}

/// The input schema of a tool: closed, every list with its items, nothing that clients choke on.
pub fn schema(arguments: &[Argument], most_ids: u32) -> Json {
    let required = arguments.iter().filter(|argument| argument.required).map(|argument| Json::text(argument.name));
    let properties = arguments
        .iter()
        .map(|argument| {
            let Json::Object(mut schema) = argument.kind.schema(most_ids) else {
                return (argument.name.to_owned(), Json::Null);
            };
            schema.push(("description".to_owned(), Json::text(argument.description)));
            (argument.name.to_owned(), Json::Object(schema))
        })
        .collect();
    object([
        ("$schema", Json::text("https://json-schema.org/draft/2020-12/schema")),
        ("type", Json::text("object")),
        ("additionalProperties", Json::Bool(false)),
        ("properties", Json::Object(properties)),
        ("required", Json::List(required.collect())),
    ])
}

impl Kind {
    fn check(self, name: &str, value: &Json) -> Result<(), Refused> {
        let expected = match (self, value) {
            (Kind::Text, Json::Text(text)) if text.trim().is_empty() => return Err(unfit(name, "is blank")),
            (Kind::Text, Json::Text(text)) if text.contains('\0') => return Err(unfit(name, "holds a NUL character")),
            (Kind::Instant, Json::Text(text)) if instant::read(text).is_some() => return Ok(()),
            (Kind::Text, Json::Text(_))
            | (Kind::Flag, Json::Bool(_))
            | (Kind::Filter | Kind::Keys, Json::Object(_)) => {
                return Ok(());
            }
            (Kind::Texts, Json::List(texts)) if texts.is_empty() => {
                return Err(unfit(name, "is empty, which narrows nothing: leave it out"));
            }
            (Kind::Texts, Json::List(texts)) if texts.len() > MOST_TEXTS => {
                return Err(unfit(name, &format!("has {} entries; at most {MOST_TEXTS} are taken", texts.len())));
            }
            (Kind::Texts, Json::List(texts)) => {
                return texts
                    .iter()
                    .enumerate()
                    .try_for_each(|(at, text)| Kind::Text.check(&format!("{name}[{at}]"), text));
            }
            (Kind::Id, id) => return check_id(name, id),
            (Kind::Ids, Json::List(ids)) => {
                return ids.iter().enumerate().try_for_each(|(at, id)| check_id(&format!("{name}[{at}]"), id));
            }
            (Kind::Text, _) => "a string",
            (Kind::Flag, _) => "true or false",
            (Kind::Filter | Kind::Keys, _) => "an object (not a string that holds one)",
            (Kind::Ids, _) => "a list of ids (not a string that holds one)",
            (Kind::Texts, _) => "a list of strings (not a string that holds one)",
            (Kind::Instant, Json::Text(_)) => {
                return Err(unfit(name, &format!("is no point in time that can be read. It takes {}", instant::FORM)));
            }
            (Kind::Instant, _) => instant::FORM,
        };
        Err(Refused::invalid(format!(
            "{} must be {expected}, and is {}. Nothing was deleted.",
            quote(name, NAME_LIMIT),
            value.kind()
        )))
    }

    fn schema(self, most_ids: u32) -> Json {
        let of_type = |name| object([("type", Json::text(name))]);
        match self {
            Kind::Text => of_type("string"),
            Kind::Flag => of_type("boolean"),
            Kind::Filter | Kind::Keys => of_type("object"),
            Kind::Texts => object([
                ("type", Json::text("array")),
                ("items", of_type("string")),
                ("minItems", Json::number(1u64)),
                ("maxItems", Json::number(MOST_TEXTS as u64)),
            ]),
            Kind::Instant => object([("type", Json::text("string")), ("format", Json::text("date-time"))]),
            Kind::Id => object([("anyOf", Json::List(["string", "integer", "object"].map(of_type).into()))]),
            Kind::Ids => object([
                ("type", Json::text("array")),
                ("items", Kind::Id.schema(most_ids)),
                ("minItems", Json::number(1u64)),
                ("maxItems", Json::number(most_ids)),
            ]),
        }
    }
}

fn unfit(name: &str, what: &str) -> Refused {
    Refused::invalid(format!("{} {what}. Nothing was deleted.", quote(name, NAME_LIMIT)))
}

/// What can be said of an id before the object's key is known.
fn check_id(place: &str, id: &Json) -> Result<(), Refused> {
    let wrong = match id {
        Json::Text(text) if text.contains('\0') => "holds a NUL character".to_owned(),
        Json::Number(digits) if digits.parse::<i64>().is_err() => {
            "is a number that is no integer of 64 bits; send the id as a string, exactly as it was shown".to_owned()
        }
        Json::Text(_) | Json::Number(_) | Json::Object(_) => return Ok(()),
        other => format!("is {}; an id is a string, an integer, or an object of the key's fields", other.kind()),
    };
    Err(Refused::invalid(format!("{place} {wrong}. Nothing was deleted.")))
}
