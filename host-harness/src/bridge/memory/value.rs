//! What a row stores, and how it reads as a field's type.
//!
//! A stored value that does not fit its field's type ('soon' in an instant field) is a misfit: it
//! matches neither a condition nor its negation (section 5 of the contract).

use std::cmp::Ordering;

use serde::{Deserialize, Serialize};

use super::super::{FieldType, Instant, Scalar};
use super::decimal::Decimal;
use super::time::{is_date, parse_instant};

/// One stored value. As JSON it is null, a boolean, a number, a string or a list of strings.
#[derive(Clone, Debug, Default, PartialEq, Deserialize, Serialize)]
#[serde(try_from = "serde_json::Value", untagged)]
pub enum Value {
    /// No value.
    #[default]
    Null,
    /// True or false.
    Boolean(bool),
    /// A whole number.
    Integer(i64),
    /// A binary floating-point number.
    Float(f64),
    /// Text; also a decimal, a uuid, a date and an instant.
    Text(String),
    /// A list of texts.
    List(Vec<String>),
}

impl TryFrom<serde_json::Value> for Value {
    type Error = String;

    fn try_from(json: serde_json::Value) -> Result<Self, String> {
        use serde_json::Value as Json;
        match json {
            Json::Null => Ok(Self::Null),
            Json::Bool(value) => Ok(Self::Boolean(value)),
            Json::Number(number) => match (number.as_i64(), number.as_f64()) {
                (Some(value), _) => Ok(Self::Integer(value)),
                (None, Some(value)) => Ok(Self::Float(value)),
                (None, None) => Err(format!("{number} fits neither 64 bits nor a double")),
            },
            Json::String(value) => Ok(Self::Text(value)),
            Json::Array(items) => items
                .into_iter()
                .map(|item| match item {
                    Json::String(text) => Ok(text),
                    other => Err(format!("a list holds strings only, not {other}")),
                })
                .collect::<Result<_, _>>()
                .map(Self::List),
            Json::Object(_) => Err("an object is no stored value".into()),
        }
    }
}

/// A stored value as its field's type reads it.
#[derive(Clone, Debug)]
pub(super) enum Stored {
    Null,
    Misfit,
    Boolean(bool),
    Integer(i64),
    Decimal(Decimal),
    Float(f64),
    /// Text, a date, or a uuid in lower case.
    Text(String),
    Instant(Instant),
    List(Vec<String>),
    Opaque,
}

impl Stored {
    /// Reads a value as this type.
    pub(super) fn read(kind: FieldType, value: Option<&Value>) -> Self {
        let Some(value) = value else {
            return Self::Null;
        };
        match (kind, value) {
            (_, Value::Null) => Self::Null,
            (FieldType::Opaque, _) => Self::Opaque,
            (FieldType::Boolean, Value::Boolean(value)) => Self::Boolean(*value),
            (FieldType::Integer, Value::Integer(value)) => Self::Integer(*value),
            (FieldType::Decimal, Value::Integer(value)) => Self::decimal(&value.to_string()),
            (FieldType::Decimal, Value::Float(value)) => Self::decimal(&value.to_string()),
            (FieldType::Decimal, Value::Text(value)) => Self::decimal(value),
            // A whole number of 64 bits reads as the nearest double, as a float column stores it.
            (FieldType::Float, Value::Integer(value)) => Self::Float(*value as f64),
            (FieldType::Float, Value::Float(value)) if value.is_finite() => Self::Float(*value),
            (FieldType::Text, Value::Text(value)) => Self::Text(value.clone()),
            (FieldType::Uuid, Value::Text(value)) => uuid(value).map_or(Self::Misfit, Self::Text),
            (FieldType::Date, Value::Text(value)) if is_date(value) => Self::Text(value.clone()),
            (FieldType::Instant, Value::Text(value)) => parse_instant(value).map_or(Self::Misfit, Self::Instant),
            (FieldType::TextList, Value::List(value)) => Self::List(value.clone()),
            _ => Self::Misfit,
        }
    }

    fn decimal(digits: &str) -> Self {
        Decimal::parse(digits).map_or(Self::Misfit, Self::Decimal)
    }

    /// How the value stands to an operand; `None` where the two are of different types.
    pub(super) fn order(&self, operand: &Scalar) -> Option<Ordering> {
        match (self, operand) {
            (Self::Boolean(value), Scalar::Boolean(operand)) => Some(value.cmp(operand)),
            (Self::Integer(value), Scalar::Integer(operand)) => Some(value.cmp(operand)),
            (Self::Decimal(value), _) => Some(value.cmp(&Decimal::of(operand)?)),
            (Self::Text(value), Scalar::Text(operand)) => Some(value.as_bytes().cmp(operand.as_bytes())),
            (Self::Instant(value), Scalar::Instant(operand)) => {
                Some((value.seconds, value.nanoseconds).cmp(&(operand.seconds, operand.nanoseconds)))
            }
            _ => None,
        }
    }

    /// The value as a part of a record's key; `None` where it is no key: null, a misfit, or of a
    /// type that no key has.
    pub(super) fn key(&self) -> Option<Scalar> {
        match self {
            Self::Boolean(value) => Some(Scalar::Boolean(*value)),
            Self::Integer(value) => Some(Scalar::Integer(*value)),
            Self::Decimal(value) => Some(Scalar::Decimal(value.to_string())),
            Self::Text(value) => Some(Scalar::Text(value.clone())),
            Self::Instant(value) => Some(Scalar::Instant(*value)),
            _ => None,
        }
    }
}

/// A uuid in lower case, or `None` where the text is none.
fn uuid(text: &str) -> Option<String> {
    let fits = text.len() == 36
        && text.bytes().enumerate().all(|(at, byte)| match at {
            8 | 13 | 18 | 23 => byte == b'-',
            _ => byte.is_ascii_hexdigit(),
        });
    fits.then(|| text.to_ascii_lowercase())
}
