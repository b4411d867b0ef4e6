//! JSON, strict on the way in and ordered on the way out.
//!
//! `hifijson` lexes the text, because it hands numbers over in the digits they were written with and reads
//! nothing that RFC 8259 does not allow; this module adds no key twice and a bounded depth (contract,
//! section 2). `serde_json`, which writes the strings, would read too, but its errors can print
//! floating-point numbers, and that alone is 25 KB of a component that has none. The tree keeps the order
//! of keys, so that an answer's counts come first and the bytes are the same every time.

use hifijson::num::LexWrite as _;
use hifijson::str::LexAlloc as _;
use hifijson::token::Lex as _;
use hifijson::{Expect, SliceLexer};

use crate::prelude::*;
use crate::sorted;
use crate::text::NAME_LIMIT;

/// Levels of lists and objects. Real filters need four or five.
pub const MAX_DEPTH: usize = 32;

/// Keys of one object. A filter has at most a quarter of that; beyond it, finding a key that stands
/// twice would cost more than the call is worth.
pub const MAX_MEMBERS: usize = 4096;

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
        let mut lexer = SliceLexer::new(text.as_bytes());
        let json = lexer.exactly_one(SliceLexer::ws_peek, |next, lexer| value(next, lexer, 0));
        json.map_err(|why| why.sentence(text.len() - lexer.as_slice().len()))
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

    /// A list of strings.
    pub fn texts(texts: &[String]) -> Json {
        Json::List(texts.iter().map(Json::text).collect())
    }

    /// A whole number.
    pub fn number(number: impl Into<u64>) -> Json {
        Json::Number(number.into().to_string())
    }

    /// The value as JSON text, compact.
    pub fn write(&self) -> String {
        let mut text = String::new();
        self.write_to(&mut text);
        text
    }

    fn write_to(&self, text: &mut String) {
        match self {
            Json::Null => text.push_str("null"),
            Json::Bool(value) => text.push_str(if *value { "true" } else { "false" }),
            Json::Number(digits) => text.push_str(digits),
            Json::Text(string) => write_string(string, text),
            Json::List(items) => {
                text.push('[');
                for (at, item) in items.iter().enumerate() {
                    text.push_str(if at == 0 { "" } else { "," });
                    item.write_to(text);
                }
                text.push(']');
            }
            Json::Object(members) => {
                text.push('{');
                for (at, (key, value)) in members.iter().enumerate() {
                    text.push_str(if at == 0 { "" } else { "," });
                    write_string(key, text);
                    text.push(':');
                    value.write_to(text);
                }
                text.push('}');
            }
        }
    }
}

fn write_string(string: &str, text: &mut String) {
    // Writing a string to memory has no way to fail.
    text.push_str(&serde_json::to_string(string).unwrap_or_default());
}

/// An object with its members in the order given.
pub fn object<const N: usize>(mut members: [(&str, Json); N]) -> Json {
    object_of(&mut members)
}

/// The work of [`object`], once for every number of members. It takes the values out.
fn object_of(members: &mut [(&str, Json)]) -> Json {
    let mut object = Vec::with_capacity(members.len());
    for (name, value) in members {
        put(&mut object, name, core::mem::replace(value, Json::Null));
    }
    Json::Object(object)
}

/// Adds a member.
pub fn put(members: &mut Vec<(String, Json)>, name: &str, value: Json) {
    members.push((name.to_owned(), value));
}

/// What is wrong with a text; where is known from how far it was read.
enum Why {
    Syntax,
    Unicode,
    Depth,
    Members,
    Twice(String),
}

impl Why {
    fn sentence(self, offset: usize) -> Unreadable {
        Unreadable(match self {
            Why::Syntax => format!("The text is not JSON: it stops making sense after byte {offset}."),
            Why::Unicode => "A string in the text is not Unicode: it holds a lone surrogate.".to_owned(),
            Why::Depth => format!("The text is nested deeper than {MAX_DEPTH} levels."),
            Why::Members => format!("An object in the text has more than {MAX_MEMBERS} keys."),
            Why::Twice(key) => format!("The key {} stands twice in one object.", crate::text::quote(&key, NAME_LIMIT)),
        })
    }
}

impl From<Expect> for Why {
    fn from(_: Expect) -> Why {
        Why::Syntax
    }
}

fn value(next: u8, lexer: &mut SliceLexer, depth: usize) -> Result<Json, Why> {
    match next {
        b'{' | b'[' if depth == MAX_DEPTH => Err(Why::Depth),
        b'{' => {
            let mut members: Vec<(String, Json)> = Vec::new();
            let mut keys: Vec<String> = Vec::new();
            lexer.discarded().seq(b'}', SliceLexer::ws_peek, |next, lexer| {
                lexer.expect(|_| Some(next), b'"').ok_or(Why::Syntax)?;
                let key = string(lexer)?;
                lexer.expect(SliceLexer::ws_peek, b':').ok_or(Why::Syntax)?;
                let next = lexer.ws_peek().ok_or(Why::Syntax)?;
                if members.len() == MAX_MEMBERS {
                    return Err(Why::Members);
                }
                if !sorted::insert(&mut keys, key.clone()) {
                    return Err(Why::Twice(key));
                }
                members.push((key, value(next, lexer, depth + 1)?));
                Ok(())
            })?;
            Ok(Json::Object(members))
        }
        b'[' => {
            let mut items = Vec::new();
            lexer.discarded().seq(b']', SliceLexer::ws_peek, |next, lexer| {
                items.push(value(next, lexer, depth + 1)?);
                Ok::<_, Why>(())
            })?;
            Ok(Json::List(items))
        }
        b'"' => string(lexer.discarded()).map(Json::Text),
        b'-' | b'0'..=b'9' => match lexer.num_string().validated() {
            Ok((digits, _)) => Ok(Json::Number(digits.to_owned())),
            Err(_) => Err(Why::Syntax),
        },
        _ => match lexer.null_or_bool() {
            Some(None) => Ok(Json::Null),
            Some(Some(value)) => Ok(Json::Bool(value)),
            None => Err(Why::Syntax),
        },
    }
}

/// A string, behind its opening quotes.
fn string(lexer: &mut SliceLexer) -> Result<String, Why> {
    match lexer.str_string() {
        Ok(text) => Ok(text.into_owned()),
        Err(error) if error.is_unicode_error() => Err(Why::Unicode),
        Err(_) => Err(Why::Syntax),
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
        for text in [
            "",
            "{",
            "01",
            "1.",
            "+1",
            "nul",
            "NaN",
            "'a'",
            "{\"a\":1,}",
            "1 2",
            "\u{feff}{}",
            "1.e1",
            "-",
            "[1,]",
            "tru",
            "\"a\nb\"",
            "\"\\x\"",
        ] {
            assert!(refusal(text).contains("not JSON"), "{text}");
        }
    }

    #[test]
    fn serde_json_reads_and_refuses_the_same_texts() {
        // Every text of up to five of these pieces: what one takes and the other does not is a way in.
        let pieces =
            ["{", "}", "[", "]", ",", ":", "\"a\"", "\"\\u0062\"", "-", "0", "1", ".", "e", "+", "true", "null", " "];
        let mut texts = vec![String::new()];
        for _ in 0..4 {
            texts = texts.iter().flat_map(|text| pieces.iter().map(move |piece| format!("{text}{piece}"))).collect();
            for text in &texts {
                let theirs = serde_json::from_str::<serde_json::Value>(text);
                match Json::read(text) {
                    Ok(ours) => assert_eq!(theirs.ok(), serde_json::from_str(&ours.write()).ok(), "{text}"),
                    // They keep the last of two equal keys, and know no number beyond a double.
                    Err(why) => assert!(theirs.is_err() || why.0.contains("twice"), "{text}"),
                }
            }
        }
    }
}
