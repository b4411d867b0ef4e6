//! JSON, strict on the way in and ordered on the way out.
//!
//! `serde_json` reads the text; this module adds what it does not promise: no key twice, numbers in the
//! digits they were written with, and a bounded depth (contract, section 2). The tree keeps the order of
//! keys, so that an answer's counts come first and the bytes are the same every time.

use std::fmt;

use serde::Serialize;
use serde::de::{Deserializer, MapAccess, SeqAccess, Visitor};
use serde::ser::{SerializeMap, SerializeSeq, Serializer};
use serde_json::value::RawValue;

/// Levels of lists and objects. Real filters need four or five.
pub const MAX_DEPTH: usize = 32;

/// A JSON value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Json {
    /// `null`
    Null,
    /// `true` or `false`
    Bool(bool),
    /// A number, as it was written: `7`, `7.0` and `7e0` are three.
    Number(String),
    /// A string.
    Text(String),
    /// A list.
    List(Vec<Json>),
    /// An object, in the order of the text, each key once.
    Object(Vec<(String, Json)>),
}

/// Why a text is not a value that can be acted on. The sentence may be shown to the caller.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unreadable(pub String);

impl Json {
    /// Reads one JSON text, whole and strict: no key twice at any depth (escaped or not), no lone
    /// surrogate, no more than [`MAX_DEPTH`] levels, nothing behind the value.
    pub fn read(text: &str) -> Result<Json, Unreadable> {
        let raw: &RawValue = serde_json::from_str(text).map_err(|error| {
            let (line, column) = (error.line(), error.column());
            Unreadable(format!("The text is not JSON: it stops making sense at line {line}, column {column}."))
        })?;
        read(raw.get(), 0)
    }

    /// What kind of value this is, for a sentence: `a list`.
    pub fn kind(&self) -> &'static str {
        match self {
            Json::Null => "null",
            Json::Bool(_) => "a boolean",
            Json::Number(_) => "a number",
            Json::Text(_) => "a string",
            Json::List(_) => "a list",
            Json::Object(_) => "an object",
        }
    }

    /// The value of a key, where this is an object that has it.
    pub fn get(&self, key: &str) -> Option<&Json> {
        match self {
            Json::Object(members) => members.iter().find(|(k, _)| k == key).map(|(_, v)| v),
            _ => None,
        }
    }

    /// A string value.
    pub fn text(text: impl Into<String>) -> Json {
        Json::Text(text.into())
    }

    /// A whole number.
    pub fn number(number: impl Into<u64>) -> Json {
        Json::Number(number.into().to_string())
    }

    /// The value as JSON text, compact.
    pub fn write(&self) -> String {
        // Writing a tree of plain values to memory has no way to fail.
        serde_json::to_string(self).unwrap_or_default()
    }
}

/// An object with its members in the order given.
pub fn object<const N: usize>(members: [(&str, Json); N]) -> Json {
    Json::Object(members.into_iter().map(|(key, value)| (key.to_owned(), value)).collect())
}

/// Reads a text that is already known to be JSON. Each level is read anew from its own text, so that a
/// number's digits are still there; `MAX_DEPTH` bounds what that costs.
fn read(text: &str, depth: usize) -> Result<Json, Unreadable> {
    let first = text.as_bytes().first().copied();
    if matches!(first, Some(b'{' | b'[')) && depth == MAX_DEPTH {
        return Err(Unreadable(format!("The text is nested deeper than {MAX_DEPTH} levels.")));
    }
    match first {
        Some(b'{') => {
            let members = parse(text, |parser| parser.deserialize_map(Members))?;
            let mut object: Vec<(String, Json)> = Vec::with_capacity(members.len());
            let mut keys = std::collections::BTreeSet::new();
            for (key, value) in &members {
                if !keys.insert(key.as_str()) {
                    return Err(Unreadable(format!("The key {} stands twice in one object.", quote(key))));
                }
                object.push((key.clone(), read(value.get(), depth + 1)?));
            }
            Ok(Json::Object(object))
        }
        Some(b'[') => {
            let items = parse(text, |parser| parser.deserialize_seq(Items))?;
            items.iter().map(|item| read(item.get(), depth + 1)).collect::<Result<_, _>>().map(Json::List)
        }
        Some(b'"') => parse(text, |parser| parser.deserialize_str(Text)).map(Json::Text),
        Some(b't') => Ok(Json::Bool(true)),
        Some(b'f') => Ok(Json::Bool(false)),
        Some(b'n') => Ok(Json::Null),
        _ => Ok(Json::Number(text.to_owned())),
    }
}

fn parse<'a, T>(
    text: &'a str,
    with: impl FnOnce(&mut serde_json::Deserializer<serde_json::de::StrRead<'a>>) -> serde_json::Result<T>,
) -> Result<T, Unreadable> {
    // The syntax is known to be right, so what is left to find is in a string.
    with(&mut serde_json::Deserializer::from_str(text))
        .map_err(|_| Unreadable("A string in the text is not Unicode: it holds a lone surrogate.".to_owned()))
}

/// A key as it stands in a sentence, cut so that a sentence stays one.
fn quote(key: &str) -> String {
    crate::text::quote(key, crate::text::NAME_LIMIT)
}

struct Members;

impl<'de> Visitor<'de> for Members {
    type Value = Vec<(String, &'de RawValue)>;

    fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
        let mut members = Vec::new();
        while let Some(member) = map.next_entry()? {
            members.push(member);
        }
        Ok(members)
    }
}

struct Items;

impl<'de> Visitor<'de> for Items {
    type Value = Vec<&'de RawValue>;

    fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str("a list")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Self::Value, A::Error> {
        let mut items = Vec::new();
        while let Some(item) = seq.next_element()? {
            items.push(item);
        }
        Ok(items)
    }
}

struct Text;

impl Visitor<'_> for Text {
    type Value = String;

    fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str("a string")
    }

    fn visit_str<E>(self, text: &str) -> Result<String, E> {
        Ok(text.to_owned())
    }
}

impl Serialize for Json {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Json::Null => serializer.serialize_unit(),
            Json::Bool(value) => serializer.serialize_bool(*value),
            // Written digit for digit; only text that was read as a number, or an integer, gets here.
            Json::Number(digits) => RawValue::from_string(digits.clone())
                .map_err(|_| serde::ser::Error::custom("not a number"))?
                .serialize(serializer),
            Json::Text(text) => serializer.serialize_str(text),
            Json::List(items) => {
                let mut list = serializer.serialize_seq(Some(items.len()))?;
                for item in items {
                    list.serialize_element(item)?;
                }
                list.end()
            }
            Json::Object(members) => {
                let mut map = serializer.serialize_map(Some(members.len()))?;
                for (key, value) in members {
                    map.serialize_entry(key, value)?;
                }
                map.end()
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refusal(text: &str) -> String {
        Json::read(text).expect_err(text).0
    }

    #[test]
    fn digits_stay_as_they_were_written() {
        for number in ["9007199254740993", "7.0", "7e0", "-0", "1e400", "18446744073709551616"] {
            assert_eq!(Json::read(number), Ok(Json::Number(number.into())));
            assert_eq!(Json::read(number).map(|json| json.write()), Ok(number.into()));
        }
    }

    #[test]
    fn a_key_twice_is_refused_at_any_depth_and_escaped() {
        assert!(refusal(r#"{"a":1,"a":2}"#).contains("\"a\""));
        assert!(refusal(r#"{"a":1,"\u0061":2}"#).contains("\"a\""));
        assert!(refusal(r#"[{"x":[{"b":1,"c":2,"b":3}]}]"#).contains("\"b\""));
    }

    #[test]
    fn keys_that_mean_something_to_serde_json_are_keys_like_any_other() {
        let text = r#"{"$serde_json::private::Number":"1","$serde_json::private::RawValue":"2"}"#;
        assert_eq!(Json::read(text).map(|json| json.write()), Ok(text.into()));
    }

    #[test]
    fn lone_surrogates_are_refused() {
        for text in [r#""\ud800""#, r#"{"\udc00":1}"#, r#"["\ud800\u0041"]"#] {
            assert!(refusal(text).contains("surrogate"), "{text}");
        }
        assert!(Json::read(r#""\ud83d\ude00""#).is_ok());
    }

    #[test]
    fn depth_is_bounded() {
        let nested = |n: usize| format!("{}{}", "[".repeat(n), "]".repeat(n));
        assert!(Json::read(&nested(MAX_DEPTH)).is_ok());
        assert!(refusal(&nested(MAX_DEPTH + 1)).contains("32"));
        assert!(refusal(&nested(20_000)).contains("32"));
    }

    #[test]
    fn what_is_not_json_is_said_with_its_place() {
        for text in ["", "{", "01", "1.", "+1", "nul", "NaN", "'a'", "{\"a\":1,}", "1 2", "\u{feff}{}"] {
            assert!(refusal(text).contains("line 1"), "{text}");
        }
    }
}
