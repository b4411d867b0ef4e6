//! Why a call ends without its answer: the one shape of every error (contract, sections 2 to 7).

use crate::bridge::{Failure, Refusal};
use crate::json::{Json, object};
use crate::prelude::*;
use crate::text;

/// A code for a refusal whose own code has not the form of one.
const RULE_REFUSED: &str = "RULE_REFUSED";

/// A failed answer: `{"error": {code, status, message, details?}, …}`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Refused {
    /// `[A-Z][A-Z0-9_]{0,63}`
    pub code: String,
    /// As an HTTP status.
    pub status: u16,
    /// One sentence or two that say what was allowed and what to do.
    pub message: String,
    /// Members of `error.details`.
    pub details: Vec<(&'static str, Json)>,
    /// What stands beside `error`: the preview, or the progress.
    pub beside: Option<Box<(&'static str, Json)>>,
}

impl Refused {
    /// A refusal with neither details nor anything beside it.
    pub fn new(code: &str, status: u16, message: impl Into<String>) -> Refused {
        Refused { code: code.to_owned(), status, message: message.into(), details: Vec::new(), beside: None }
    }

    /// `VALIDATION_FAILED` 400: the arguments are not what the tool takes.
    pub fn invalid(message: impl Into<String>) -> Refused {
        Refused::new("VALIDATION_FAILED", 400, message)
    }

    /// `INVALID_FILTER` 400: `where` is no filter of this object.
    pub fn filter(message: impl Into<String>) -> Refused {
        Refused::new("INVALID_FILTER", 400, format!("{} Nothing was deleted.", message.into()))
    }

    /// Adds a member of `error.details`.
    pub fn detail(mut self, name: &'static str, value: Json) -> Refused {
        self.details.push((name, value));
        self
    }

    /// Puts the preview or the progress beside the error.
    pub fn beside(mut self, name: &'static str, value: Json) -> Refused {
        self.beside = Some(Box::new((name, value)));
        self
    }

    /// The whole answer.
    pub fn json(self) -> Json {
        let mut error = vec![
            ("code".to_owned(), Json::Text(self.code)),
            ("status".to_owned(), Json::number(self.status)),
            ("message".to_owned(), Json::Text(self.message)),
        ];
        if !self.details.is_empty() {
            let details = self.details.into_iter().map(|(name, value)| (name.to_owned(), value)).collect();
            error.push(("details".to_owned(), Json::Object(details)));
        }
        match self.beside.map(|beside| *beside) {
            None => object([("error", Json::Object(error))]),
            Some((name, value)) => object([("error", Json::Object(error)), (name, value)]),
        }
    }
}

/// What the bridge could not answer, as the caller is told it (contract, section 3).
impl From<Failure> for Refused {
    fn from(failure: Failure) -> Refused {
        match failure {
            Failure::Refused(refusal) => {
                let refusal = fit(refusal);
                Refused::new(&refusal.code, refusal.status, refusal.reason)
                    .detail("retryable", Json::Bool(refusal.retryable))
            }
            Failure::Faulted(sentence) => Refused::new("ENGINE_FAULT", 502, text::sentence(&sentence)),
            Failure::Cancelled => Refused::new("CANCELLED", 499, "The call was cancelled."),
            Failure::DeadlineExceeded => {
                Refused::new("DEADLINE_EXCEEDED", 504, "The time that a call may take was over.")
            }
            Failure::Unsupported => {
                Refused::new("UNSUPPORTED", 501, "The host has not the ability that this call needs.")
            }
        }
    }
}

/// A refusal, with nothing in it but what may leave (contract, section 8): a code of the form of one, a
/// status of the four hundreds and one line.
pub fn fit(refusal: Refusal) -> Refusal {
    let code = if is_code(&refusal.code) { refusal.code } else { RULE_REFUSED.to_owned() };
    let status = if (400..=499).contains(&refusal.status) { refusal.status } else { 409 };
    let mut reason = text::sentence(&refusal.reason);
    if reason.is_empty() {
        reason.push_str("A rule of the host refused it.");
    }
    Refusal { code, status, reason, retryable: refusal.retryable }
}

fn is_code(code: &str) -> bool {
    let bytes = code.as_bytes();
    matches!(bytes.first(), Some(b'A'..=b'Z'))
        && bytes.len() <= 64
        && bytes.iter().all(|b| matches!(b, b'A'..=b'Z' | b'0'..=b'9' | b'_'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_but_code_status_and_one_line_leaves_a_refusal() {
        let wild = Refusal { code: "lower case".into(), status: 200, reason: "a\nb".into(), retryable: true };
        let tame = Refusal { code: RULE_REFUSED.into(), status: 409, reason: "a b".into(), retryable: true };
        assert_eq!(fit(wild), tame);
        let own = Refusal { code: "RECORD_LOCKED".into(), status: 423, reason: "closed".into(), retryable: false };
        assert_eq!(fit(own.clone()), own);
        assert!(!is_code(&"A".repeat(65)) && is_code(&"A".repeat(64)) && !is_code("1A") && !is_code(""));
    }
}
