//! What a caller is told of a refusal, the same over every engine (contract, section 10).
//!
//! Only a rule's own sentence is ever quoted: it was written for whoever deletes. Every other text of an engine
//! names tables, columns and values that the caller may not see; it goes to the log, and a fixed sentence goes out.

use super::{Failure, Refusal};
use crate::identity::Caller;

/// A reason is one line of at most so many characters (contract, section 8).
const REASON_LIMIT: usize = 500;

/// A refusal that can't succeed later by itself.
pub(super) fn refused(code: &str, status: u16, reason: impl Into<String>) -> Failure {
    Failure::Refused(Refusal { code: code.to_owned(), status, reason: reason.into(), retryable: false })
}

/// The object does not exist for this caller.
pub(super) fn not_found() -> Failure {
    refused("OBJECT_NOT_FOUND", 404, "There is no such object.")
}

/// Nobody known reads nothing and removes nothing.
pub(super) fn known(caller: &Caller) -> Result<(), Failure> {
    match caller.is_anonymous() {
        true => Err(refused("UNAUTHENTICATED", 401, "Nobody is known to be calling.")),
        false => Ok(()),
    }
}

/// A rule keeps this caller from it, and the rule says no more.
pub(super) fn denied() -> Failure {
    refused("PERMISSION_DENIED", 403, "This caller may not remove this record.")
}

/// The engine takes no changes at all.
pub(super) fn read_only() -> Failure {
    refused("PERMISSION_DENIED", 403, "The host may not change this database.")
}

/// Somebody else's work is in the way.
pub(super) fn busy() -> Failure {
    Failure::Refused(Refusal {
        code: "ENGINE_BUSY".to_owned(),
        status: 409,
        reason: "The database is in use elsewhere; the same call may succeed later.".to_owned(),
        retryable: true,
    })
}

/// A foreign key keeps the record.
pub(super) fn restricted() -> Failure {
    refused("DELETE_RESTRICTED", 409, "Other records depend on this one.")
}

/// Another constraint does.
pub(super) fn constrained() -> Failure {
    refused("CONSTRAINT_VIOLATED", 409, "Removing this record would leave others that are not allowed.")
}

/// An operand that the engine can't hold.
pub(super) fn not_exact(engine: &str) -> Failure {
    let reason = format!("{engine} can't compare this number exactly: it has too many digits.");
    refused("FILTER_NOT_EXACT", 400, reason)
}

/// A comparison that the field's type does not have.
pub(super) fn mistyped(field: &str) -> Failure {
    let reason = format!("The field {field:?} can't be compared so, or not with such a value.");
    refused("INVALID_FILTER", 400, reason)
}

/// A filter's terms that don't follow their own grammar.
pub(super) fn malformed(why: &str) -> Failure {
    refused("INVALID_FILTER", 400, format!("The filter can't be read: {why}."))
}

/// A condition over what the object does not have.
pub(super) fn no_such_field() -> Failure {
    refused("INVALID_FIELD", 400, "The object has no such field.")
}

/// `after` that is no id.
pub(super) fn no_such_place() -> Failure {
    refused("VALIDATION_FAILED", 400, "`after` is no id of this object.")
}

/// One id must mean one record: more are never removed by it.
pub(super) fn ambiguous() -> Failure {
    tracing::error!("one id means several records; nothing was removed");
    Failure::Faulted("More than one record has this key.".to_owned())
}

/// A rule's own words: `CODE status: sentence`, or any sentence.
pub(super) fn ruled(message: &str) -> Failure {
    let line = one_line(message);
    match coded(&line) {
        Some((code, status, sentence)) => refused(code, status, cut(sentence)),
        None if line.is_empty() => refused("RULE_REFUSED", 409, "A rule of the database keeps this record."),
        None => refused("RULE_REFUSED", 409, cut(&line)),
    }
}

fn coded(line: &str) -> Option<(&str, u16, &str)> {
    let (head, sentence) = line.split_once(": ")?;
    let (code, status) = head.split_once(' ')?;
    let formed = code.len() <= 64
        && code.starts_with(|first: char| first.is_ascii_uppercase())
        && code.bytes().all(|byte| byte.is_ascii_uppercase() || byte.is_ascii_digit() || byte == b'_');
    let status = Some(status).filter(|digits| digits.len() == 3)?.parse().ok()?;
    let sentence = sentence.trim();
    (formed && (400..500).contains(&status) && !sentence.is_empty()).then_some((code, status, sentence))
}

/// Without what would break or bend a line.
fn one_line(text: &str) -> String {
    let breaks = |c: char| c.is_control() || matches!(c, '\u{2028}' | '\u{2029}');
    let spaced: String = text.chars().map(|c| if breaks(c) { ' ' } else { c }).collect();
    spaced.trim().to_owned()
}

/// A reason as long as it may be; the code and the status before it do not count.
fn cut(sentence: &str) -> String {
    sentence.chars().take(REASON_LIMIT).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parts(message: &str) -> (String, u16, String) {
        match ruled(message) {
            Failure::Refused(refusal) => (refusal.code, refusal.status, refusal.reason),
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn a_sentence_of_the_form_gives_code_and_status() {
        let coded = |code: &str, status, reason: &str| (code.to_owned(), status, reason.to_owned());
        assert_eq!(
            parts("RECORD_LOCKED 409: the period is closed"),
            coded("RECORD_LOCKED", 409, "the period is closed")
        );
        assert_eq!(parts("A 400: b: c"), coded("A", 400, "b: c"));
        for message in [
            "the period is closed",
            "Locked 409: x",
            "LOCKED 500: x",
            "LOCKED 0409: x",
            "LOCKED +40: x",
            "LOCKED 409:x",
            "LOCKED: x",
            "1LOCKED 409: x",
            "LOCKED 409:  ",
        ] {
            assert_eq!(parts(message), coded("RULE_REFUSED", 409, message.trim()), "{message}");
        }
        assert_eq!(parts(&format!("{} 409: x", "A".repeat(65))).0, "RULE_REFUSED");
        assert_eq!(parts(&format!("{} 409: x", "A".repeat(64))).1, 409);
    }

    #[test]
    fn a_reason_is_one_line_and_bounded() {
        assert_eq!(parts("a\nb\u{2028}c\0").2, "a b c");
        assert_eq!(parts(&"é".repeat(600)).2.chars().count(), 500);
        assert!(!parts("").2.is_empty());
    }
}
