//! One line for each call: who, what, how many, how long. No value of a record is in it.

use std::time::Duration;

use serde_json::Value;

use crate::identity::Caller;
use crate::plugin::{Reply, Request};

/// The names of objects and tools are the caller's text until something is found by them.
const NAME_LIMIT: usize = 80;

/// Writes the line.
pub fn call(caller: &Caller, request: &Request, reply: &Reply, duration: Duration) {
    let actor = caller.actor().unwrap_or("system");
    let arguments: Value = serde_json::from_str(&request.arguments).unwrap_or_default();
    let object = ["objectName", "log"].iter().find_map(|name| arguments[name].as_str()).unwrap_or_default();
    let Told { outcome, matched, deleted, refused, digest } = Told::by(reply);
    let (tool, object) = (short(&request.tool), short(object));
    let milliseconds = duration.as_millis();
    tracing::info!(
        target: "deletegate::call",
        actor = ?actor, ?tool, ?object, outcome, matched, deleted, refused, digest, milliseconds
    );
}

#[derive(Default)]
struct Told {
    outcome: String,
    matched: Option<u64>,
    deleted: Option<u64>,
    refused: Option<u64>,
    digest: Option<String>,
}

impl Told {
    fn by(reply: &Reply) -> Told {
        let answer = match reply {
            Reply::UnknownTool => return Told { outcome: "UNKNOWN_TOOL".to_owned(), ..Told::default() },
            Reply::Asks { asked, .. } => {
                let (matched, digest) = (Some(asked.count()), Some(asked.digest().to_owned()));
                return Told { outcome: "asks".to_owned(), matched, digest, ..Told::default() };
            }
            Reply::Answered(answer) => answer,
        };
        let json: Value = serde_json::from_str(&answer.json).unwrap_or_default();
        let counts = ["progress", "preview"].iter().find_map(|name| json.get(name)).unwrap_or(&json);
        let count = |name: &str| counts[name].as_u64();
        Told {
            outcome: json["error"]["code"].as_str().unwrap_or("answered").to_owned(),
            matched: count("matched"),
            deleted: count("deleted"),
            refused: count("refused"),
            digest: counts["digest"].as_str().map(str::to_owned),
        }
    }
}

fn short(name: &str) -> String {
    name.chars().take(NAME_LIMIT).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tools::Answer;

    #[test]
    fn counts_are_found_wherever_an_answer_has_them() {
        let told = |json: &str| Told::by(&Reply::Answered(Answer { failed: true, json: json.to_owned() }));
        let deleted = told(r#"{"object":"o","matched":4,"attempted":4,"deleted":2,"refused":2}"#);
        assert_eq!((deleted.outcome.as_str(), deleted.matched, deleted.deleted), ("answered", Some(4), Some(2)));
        let preview =
            told(r#"{"error":{"code":"ACTION_CONFIRMATION_REQUIRED"},"preview":{"matched":3,"digest":"sha256:x"}}"#);
        assert_eq!((preview.outcome.as_str(), preview.matched), ("ACTION_CONFIRMATION_REQUIRED", Some(3)));
        assert_eq!(preview.digest.as_deref(), Some("sha256:x"));
        let stopped = told(r#"{"error":{"code":"CANCELLED"},"progress":{"deleted":7,"refused":1}}"#);
        assert_eq!((stopped.deleted, stopped.refused), (Some(7), Some(1)));
    }
}
