//! One call of a tool, as a host makes it, and what it comes to.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use delete_records::json::Json;
use delete_records::tools::{Action, Answer, Question, Scopes};

pub use crate::guard::Asked;
use crate::guard::hex;
use sha2::{Digest, Sha256};

/// One call of a tool.
#[derive(Debug, Clone)]
pub struct Request {
    /// The tool's name.
    pub tool: String,
    /// The arguments' own bytes, as JSON.
    pub arguments: String,
    /// What the caller's credentials allow.
    pub scopes: Scopes,
    /// What a person answered to the question of an earlier, equal call.
    pub approval: Option<Approval>,
    /// Lets the host stop the call at the next record.
    pub cancel: Cancel,
}

impl Request {
    /// SHA-256 of what the arguments say, in hexadecimal: equal for two texts that differ in white space, escapes or the
    /// order of keys alone, as a client that makes a call again may write it anew. A text that is no strict JSON is
    /// only equal to itself.
    pub fn arguments_digest(&self) -> String {
        let text = Json::read(&self.arguments).map(|arguments| sorted(arguments).write());
        hex(Sha256::new_with_prefix(text.as_ref().unwrap_or(&self.arguments)))
    }
}

fn sorted(json: Json) -> Json {
    match json {
        Json::Object(members) => {
            let mut members: Vec<_> = members.into_iter().map(|(key, value)| (key, sorted(value))).collect();
            members.sort_by(|(a, _), (b, _)| a.cmp(b));
            Json::Object(members)
        }
        Json::List(items) => Json::List(items.into_iter().map(sorted).collect()),
        other => other,
    }
}

/// What a person answered, and to which question.
#[derive(Debug, Clone)]
pub struct Approval {
    /// What became of the question.
    pub action: Action,
    /// What the person typed.
    pub typed: Option<String>,
    /// The host's own record of the question, as [`Reply::Asks`] gave it. A server that hands it to a client
    /// seals it first: whoever can write one can approve anything that this caller may delete.
    pub asked: Asked,
}

/// What a call comes to.
#[derive(Debug, Clone)]
#[expect(clippy::large_enum_variant, reason = "there is one a call, and a box would stand in the way of every host")]
pub enum Reply {
    /// It is over. Every failure is one of these too.
    Answered(Answer),
    /// A person must be asked; nothing was deleted. Call again, with the approval.
    Asks {
        /// What to show; the guard has checked it.
        question: Question,
        /// What the approval has to bring back.
        asked: Asked,
    },
    /// No such tool, or it is off: the protocol's own error.
    UnknownTool,
}

/// Stops a call at the next bridge function; what was deleted before is in the answer.
#[derive(Debug, Clone, Default)]
pub struct Cancel(Arc<AtomicBool>);

impl Cancel {
    /// Stops the call. There is no way back.
    pub fn cancel(&self) {
        self.0.store(true, Ordering::Relaxed);
    }

    /// Whether the call is to stop.
    pub fn is_cancelled(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arguments_are_the_same_however_they_are_written() {
        let digest = |arguments: &str| {
            let (tool, scopes, approval) = (String::new(), Scopes::empty(), None);
            Request { tool, arguments: arguments.into(), scopes, approval, cancel: Cancel::default() }
                .arguments_digest()
        };
        let given = digest(r#"{"where": {"b": 1, "a": "\u00e4"}, "confirm": true}"#);
        assert_eq!(given, digest(r#"{"confirm":true,"where":{"a":"ä","b":1}}"#));
        for other in [
            r#"{"confirm":true,"where":{"a":"ä","b":1.0}}"#,
            r#"{"confirm":true,"where":{"a":"ä","b":"1"}}"#,
            r#"{"confirm":true,"where":{"a":"ä"},"b":1}"#,
            r#"{"confirm":true,"where":{"a":"ä","b":1,"b":1}}"#,
            "{",
        ] {
            assert_ne!(given, digest(other), "{other}");
        }
    }
}
