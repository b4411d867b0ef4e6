//! Each raw message is read before the MCP library reads it (contract, section 2).
//!
//! A parser that keeps the last of two equal keys, or rounds a number, has already changed the call. So the message
//! itself must be strict JSON, and the arguments of a `tools/call` travel through the library as one string, in their
//! own bytes: the component's own door reads them, and answers what is wrong with them in the tool's words.

use delete_records::json::{Json, Unreadable, object};
use rmcp::model::{ErrorCode, JsonObject};
use serde::Deserialize;
use serde::de::{MapAccess, Visitor};
use serde_json::value::RawValue;

/// The one member of the arguments as the library sees them.
const CARRIED: &str = "deletegate:arguments";

/// A message that goes no further, and what its sender is told.
#[derive(Debug)]
pub struct Rejected {
    id: Option<Json>,
    code: ErrorCode,
    sentence: String,
}

/// What the outside of a message says about it, before the library has read it.
pub struct Admitted {
    /// The message for the library.
    pub message: Vec<u8>,
    /// Its method, where it has one.
    pub method: Option<String>,
}

/// Checks a message, and wraps the arguments of a call.
///
/// # Errors
/// It is not UTF-8, not JSON, not one object, has a key twice or a lone surrogate, is nested too deeply, or holds a
/// whole number beyond 64 bits; the arguments of a call are exempt, as they go to the component as they are.
pub fn admit(message: &[u8]) -> Result<Admitted, Rejected> {
    let unreadable = |sentence: &str| Rejected::new(None, ErrorCode::PARSE_ERROR, sentence);
    let text = std::str::from_utf8(message).map_err(|_| unreadable("The message is not UTF-8."))?;
    let members = match serde_json::from_str::<Members>(text) {
        Ok(members) => members,
        Err(_) if serde_json::from_str::<Vec<&RawValue>>(text).is_ok() => {
            let sentence = "The message is a list: send one message at a time.";
            return Err(Rejected::new(None, ErrorCode::INVALID_REQUEST, sentence));
        }
        Err(_) => return Err(unreadable("The message is not one JSON object.")),
    };
    let id = members.only("id").and_then(|id| Json::read(id.get()).ok()).filter(is_id);
    let invalid = |sentence: &str| Rejected::new(id.clone(), ErrorCode::INVALID_REQUEST, sentence);
    if members.only("id").is_some() && id.is_none() {
        return Err(invalid("The message's `id` is neither a string nor a whole number of 64 bits."));
    }
    let method = members.only("method").and_then(|method| serde_json::from_str::<String>(method.get()).ok());
    let message = if method.as_deref() == Some("tools/call") { wrap(&members) } else { text.to_owned() };
    let json = Json::read(&message).map_err(|Unreadable(sentence)| invalid(&sentence))?;
    if let Some(number) = rounded(&json) {
        return Err(invalid(&format!("The number {number} does not fit 64 bits; nothing is rounded here.")));
    }
    Ok(Admitted { message: message.into_bytes(), method })
}

/// The arguments of a call in their own bytes; none where they did not come through [`admit`].
pub fn arguments(given: Option<&JsonObject>) -> Option<String> {
    match given {
        None => Some("{}".to_owned()),
        Some(members) if members.len() == 1 => Some(members.get(CARRIED)?.as_str()?.to_owned()),
        Some(_) => None,
    }
}

impl Rejected {
    fn new(id: Option<Json>, code: ErrorCode, sentence: &str) -> Rejected {
        Rejected { id, code, sentence: sentence.to_owned() }
    }

    /// A message that is longer than [`super::MESSAGE_BYTES`].
    pub fn too_long(limit: usize) -> Rejected {
        let sentence = format!("The message has more than {limit} bytes.");
        Rejected::new(None, ErrorCode::INVALID_REQUEST, &sentence)
    }

    /// The JSON-RPC error for the sender.
    pub fn response(&self) -> String {
        let code = Json::Number(self.code.0.to_string());
        let message = Json::text(format!("{} Nothing was done.", self.sentence));
        object([
            ("jsonrpc", Json::text("2.0")),
            ("id", self.id.clone().unwrap_or(Json::Null)),
            ("error", object([("code", code), ("message", message)])),
        ])
        .write()
    }
}

fn is_id(id: &Json) -> bool {
    match id {
        Json::Text(_) => true,
        Json::Number(digits) => digits.parse::<i64>().is_ok(),
        _ => false,
    }
}

/// The message with the arguments as a string. What stands twice stays twice, for the strict reader to find.
fn wrap(message: &Members) -> String {
    message.write(|key, value| match serde_json::from_str::<Members>(value.get()) {
        Ok(params) if key == "params" => params.write(|key, value| match key {
            "arguments" => object([(CARRIED, Json::text(value.get()))]).write(),
            _ => value.get().to_owned(),
        }),
        _ => value.get().to_owned(),
    })
}

/// A number that the library could not hold.
fn rounded(json: &Json) -> Option<&str> {
    match json {
        Json::Number(digits) => {
            let whole = !digits.contains(['.', 'e', 'E']);
            let fits = if whole { digits.parse::<i64>().is_ok() } else { digits.parse().is_ok_and(f64::is_finite) };
            (!fits).then_some(digits)
        }
        Json::List(items) => items.iter().find_map(rounded),
        Json::Object(members) => members.iter().find_map(|(_, value)| rounded(value)),
        Json::Null | Json::Bool(_) | Json::Text(_) => None,
    }
}

/// The members of an object as they stand, each as often as it does.
struct Members<'a>(Vec<(String, &'a RawValue)>);

impl<'a> Members<'a> {
    fn get(&self, key: &str) -> impl Iterator<Item = &'a RawValue> {
        self.0.iter().filter(move |(name, _)| name == key).map(|(_, value)| *value)
    }

    fn only(&self, key: &str) -> Option<&'a RawValue> {
        let mut values = self.get(key);
        values.next().filter(|_| values.next().is_none())
    }

    fn write(&self, mut value: impl FnMut(&str, &RawValue) -> String) -> String {
        let members = self.0.iter().map(|(key, raw)| format!("{}:{}", Json::text(key).write(), value(key, raw)));
        format!("{{{}}}", members.collect::<Vec<_>>().join(","))
    }
}

impl<'de: 'a, 'a> Deserialize<'de> for Members<'a> {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Each;
        impl<'de> Visitor<'de> for Each {
            type Value = Members<'de>;

            fn expecting(&self, f: &mut std::fmt::Formatter) -> std::fmt::Result {
                f.write_str("an object")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
                let mut members = Vec::new();
                while let Some(member) = map.next_entry()? {
                    members.push(member);
                }
                Ok(Members(members))
            }
        }
        deserializer.deserialize_map(Each)
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    fn read(message: &str) -> Value {
        serde_json::from_slice(&admit(message.as_bytes()).unwrap().message).unwrap()
    }

    fn refused(message: &str) -> Value {
        let rejected = admit(message.as_bytes()).map(|_| ()).unwrap_err();
        serde_json::from_str(&rejected.response()).unwrap()
    }

    #[test]
    fn arguments_travel_in_their_own_bytes() {
        let texts = [
            r#"{"where":{"a":1},"where":{}}"#,
            r#"{ "where" : {"n": 9007199254740993.0000000000001, "m": 1e999} }"#,
            r#"{"where":{"\u0061":"\ud800"}}"#,
            "[1]",
            "null",
            r#""{}""#,
        ];
        for text in texts {
            for name in ["arguments", r"argument\u0073"] {
                let message = format!(
                    r#"{{"jsonrpc":"2.0","id":1,"method":"tools/c\u0061ll","params":{{"name":"t","{name}":{text}}}}}"#
                );
                let read = read(&message);
                assert_eq!(arguments(read["params"]["arguments"].as_object()).as_deref(), Some(text));
                assert_eq!(read["params"]["name"], "t");
            }
        }
        let deep = "[".repeat(5000) + &"]".repeat(5000);
        let message = format!(r#"{{"id":1,"method":"tools/call","params":{{"arguments":{deep}}}}}"#);
        assert_eq!(arguments(read(&message)["params"]["arguments"].as_object()), Some(deep));
    }

    #[test]
    fn what_did_not_come_through_here_is_no_argument() {
        assert_eq!(arguments(None).as_deref(), Some("{}"));
        for given in [json!({}), json!({ "where": {} }), json!({ CARRIED: 1 }), json!({ CARRIED: "{}", "where": {} })] {
            assert_eq!(arguments(given.as_object()), None);
        }
    }

    #[test]
    fn a_key_twice_outside_the_arguments_is_named() {
        let call = r#""jsonrpc":"2.0","id":7,"method":"tools/call""#;
        let cases = [
            (format!(r#"{{{call},"params":{{"arguments":{{}},"arguments":{{"where":{{}}}}}}}}"#), "arguments"),
            (format!(r#"{{{call},"params":{{}},"p\u0061rams":{{"arguments":{{}}}}}}"#), "params"),
            (format!(r#"{{{call},"params":{{"name":"a","name":"b"}}}}"#), "name"),
            (r#"{"id":7,"method":"ping","method":"tools/call"}"#.to_owned(), "method"),
            (r#"{"id":7,"result":{"action":"decline","action":"accept"}}"#.to_owned(), "action"),
        ];
        for (message, key) in cases {
            let error = refused(&message);
            let sentence = error["error"]["message"].as_str().unwrap();
            assert!(sentence.contains(&format!("{key:?}")), "{sentence}");
            assert_eq!((&error["id"], &error["error"]["code"]), (&json!(7), &json!(-32600)), "{message}");
        }
        let twice = refused(r#"{"id":7,"id":8,"method":"ping"}"#);
        assert!(twice["id"].is_null() && twice["error"]["message"].as_str().unwrap().contains("\"id\""), "{twice}");
    }

    #[test]
    fn what_the_library_would_change_is_refused() {
        for (message, code) in [
            ("", -32700),
            ("{", -32700),
            ("7", -32700),
            ("{} {}", -32700),
            ("[]", -32600),
            (r#"[{"id":1,"method":"ping"}]"#, -32600),
            (r#"{"id":1.0,"method":"ping"}"#, -32600),
            (r#"{"id":9223372036854775808,"method":"ping"}"#, -32600),
            (r#"{"id":null,"method":"ping"}"#, -32600),
            (r#"{"id":1,"method":"ping","params":{"_meta":{"progressToken":9223372036854775808}}}"#, -32600),
            (r#"{"id":1,"method":"ping","params":{"n":1e999}}"#, -32600),
            (r#"{"id":1,"method":"ping","params":{"n":"\ud800"}}"#, -32600),
        ] {
            assert_eq!(refused(message)["error"]["code"], code, "{message}");
        }
        let bytes = admit(b"{\"id\":1,\"method\":\"\xff\"}").map(|_| ()).unwrap_err();
        assert!(bytes.response().contains("UTF-8"));
        assert_eq!(read(r#"{"id":"a","method":"ping"}"#), json!({ "id": "a", "method": "ping" }));
    }
}
