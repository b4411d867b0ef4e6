//! What a memory engine holds: tables, rows and rules as plain data, in Rust or read from JSON.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::super::{Effect, FieldType};
use super::value::Value;

/// The values of one record, by the names of their fields; a field that is not there has no value.
pub type Row = BTreeMap<String, Value>;

/// Everything that one memory engine holds.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Tables {
    /// The objects, by the engine's own names.
    pub objects: BTreeMap<String, Object>,
    /// The most rows that one page carries, where that is fewer than a caller may ask for.
    pub page: Option<u32>,
    /// Whether rows carry revisions, and `remove` checks them. `None` means that they do.
    pub revisions: Option<bool>,
    /// How well the engine counts.
    pub counts: Counts,
    /// Whether the engine can't tell what depends on a record.
    pub dependents_unknown: bool,
    /// The sentence of a delegated, narrower view.
    pub narrowing: Option<String>,
}

/// How well an engine counts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Counts {
    /// To the end.
    #[default]
    Exact,
    /// Up to this many; more are "at least" so many.
    AtLeast(u64),
    /// Not at all: `aggregate` is unsupported.
    Unsupported,
}

/// One table with its rules.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Object {
    /// Its fields.
    pub fields: Vec<Field>,
    /// The names of the key's fields, in their declared order.
    pub key: Vec<String>,
    /// The field that names a record for people.
    pub label: Option<String>,
    /// Its records.
    pub rows: Vec<Row>,
    /// Which records a user sees: those for which one of the tests holds, or all where there is none.
    pub visible: Vec<Test>,
    /// Which of the visible records a user may remove; the others are refused.
    pub removable: Vec<Test>,
    /// Rules that judge each removal, whoever asks for it; the first that applies answers.
    pub locks: Vec<Lock>,
    /// Foreign keys to other objects.
    pub references: Vec<Reference>,
    /// Whether the object is hidden from every caller.
    pub hidden: bool,
    /// What a caller may not do with its records.
    pub denied: Vec<Verb>,
    /// Whether what is removed can be restored.
    pub reversible: bool,
}

/// One field of a table.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Field {
    /// Its name.
    pub name: String,
    /// What it holds.
    #[serde(rename = "type", deserialize_with = "field_type")]
    pub kind: FieldType,
    /// Whether a record may have no value here.
    #[serde(default)]
    pub nullable: bool,
    /// Whether no filter may name it.
    #[serde(default)]
    pub withheld: bool,
}

/// What a caller may do with the records of an object.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Verb {
    /// Read many at once.
    List,
    /// Remove one.
    Remove,
}

/// A test of one record, for one user.
#[derive(Clone, Debug, Deserialize)]
#[serde(untagged)]
pub enum Test {
    /// The field has one of these values; the text `:actor` stands for the user's id.
    Field {
        /// The field.
        field: String,
        /// The values.
        values: Vec<Value>,
    },
    /// The user is one of these.
    Actor {
        /// The users' ids.
        actors: Vec<String>,
    },
}

/// A rule over the values of one field.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Lock {
    /// The field.
    pub field: String,
    /// The values to which the rule applies.
    pub values: Vec<Value>,
    /// What the engine then answers.
    pub answer: Verdict,
}

/// What a rule answers to a removal.
#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Verdict {
    /// No.
    Refused(RefusalText),
    /// No error, and the record stays.
    Kept,
    /// "Not found", though it is there.
    Absent,
    /// The record has changed, though it has not.
    Changed,
    /// The record goes, and work that follows fails with this sentence.
    Warning(String),
    /// The engine itself fails with this sentence.
    Faulted(String),
    /// The caller went away.
    Cancelled,
    /// The call's time is over.
    DeadlineExceeded,
    /// The engine has no such ability.
    Unsupported,
}

/// A refusal as data; see the WIT record `refusal`.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RefusalText {
    /// The rule's code.
    pub code: String,
    /// As an HTTP status.
    pub status: u16,
    /// The rule's sentence.
    pub reason: String,
    /// Whether the same call may succeed later.
    #[serde(default)]
    pub retryable: bool,
}

/// A foreign key.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Reference {
    /// The fields here, in the order of the other object's key.
    pub fields: Vec<String>,
    /// The object that they point to.
    pub object: String,
    /// What happens to a record here when the one it points to goes.
    #[serde(deserialize_with = "effect")]
    pub on_delete: Effect,
}

/// What somebody else does to the data between two calls of the bridge.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub enum Change {
    /// Adds a record.
    Insert {
        /// Its object.
        object: String,
        /// Its values.
        row: Row,
    },
    /// Sets fields of a record.
    Update {
        /// Its object.
        object: String,
        /// Its key, by the names of the key's fields.
        key: Row,
        /// The fields and their new values.
        set: Row,
    },
    /// Takes a record away, past every rule.
    Delete {
        /// Its object.
        object: String,
        /// Its key, by the names of the key's fields.
        key: Row,
    },
}

impl Object {
    /// The field of this name.
    pub fn field(&self, name: &str) -> Option<&Field> {
        self.fields.iter().find(|field| field.name == name)
    }
}

/// What is wrong with the tables, if anything: a name that stands for nothing.
pub(super) fn check(tables: &Tables) -> Result<(), String> {
    for (name, object) in &tables.objects {
        let known = |field: &String| match object.field(field) {
            Some(_) => Ok(()),
            None => Err(format!("{name:?} has no field {field:?}")),
        };
        if object.key.is_empty() {
            return Err(format!("{name:?} has no key"));
        }
        object.key.iter().chain(&object.label).try_for_each(known)?;
        object.locks.iter().try_for_each(|lock| known(&lock.field))?;
        object.rows.iter().flat_map(Row::keys).try_for_each(known)?;
        for test in object.visible.iter().chain(&object.removable) {
            if let Test::Field { field, .. } = test {
                known(field)?;
            }
        }
        for reference in &object.references {
            reference.fields.iter().try_for_each(known)?;
            let fits = |parent: &Object| parent.key.len() == reference.fields.len();
            if !tables.objects.get(&reference.object).is_some_and(fits) {
                let said = "does not point to the whole key of an object that is there";
                return Err(format!("a foreign key of {name:?} {said}"));
            }
        }
    }
    Ok(())
}

fn field_type<'de, D: serde::Deserializer<'de>>(data: D) -> Result<FieldType, D::Error> {
    let name = String::deserialize(data)?;
    Ok(match name.as_str() {
        "boolean" => FieldType::Boolean,
        "integer" => FieldType::Integer,
        "decimal" => FieldType::Decimal,
        "float" => FieldType::Float,
        "text" => FieldType::Text,
        "uuid" => FieldType::Uuid,
        "date" => FieldType::Date,
        "instant" => FieldType::Instant,
        "text-list" => FieldType::TextList,
        "opaque" => FieldType::Opaque,
        _ => {
            return Err(serde::de::Error::custom(format!("no field type is called {name:?}")));
        }
    })
}

fn effect<'de, D: serde::Deserializer<'de>>(data: D) -> Result<Effect, D::Error> {
    let name = String::deserialize(data)?;
    Ok(match name.as_str() {
        "cascade" => Effect::Cascade,
        "restrict" => Effect::Restrict,
        "detach" => Effect::Detach,
        _ => {
            let said = format!("on_delete is cascade, restrict or detach, not {name:?}");
            return Err(serde::de::Error::custom(said));
        }
    })
}
