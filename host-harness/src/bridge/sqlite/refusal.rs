//! What an error of SQLite means to a caller: a rule's refusal, a passing lock, or a fault (contract, section 10).
//!
//! Only a trigger's own sentence is ever quoted: it was written for whoever deletes. Every other text of the engine
//! names tables, columns and values that the caller may not see; it goes to the log, and a fixed sentence goes out.

use rusqlite::ffi;

use crate::bridge::{Failure, Refusal};

/// A reason is one line of at most so many characters (contract, section 8).
const REASON_LIMIT: usize = 500;

/// What SQLite itself raises for `ON DELETE RESTRICT`, under the code of a trigger: it builds such a key as a trigger
/// of its own.
const RESTRICT_MESSAGE: &str = "FOREIGN KEY constraint failed";

/// A refusal that can't succeed later by itself.
pub(super) fn refused(code: &str, status: u16, reason: impl Into<String>) -> Failure {
    Failure::Refused(Refusal { code: code.to_owned(), status, reason: reason.into(), retryable: false })
}

/// The object does not exist for this caller.
pub(super) fn not_found() -> Failure {
    refused("OBJECT_NOT_FOUND", 404, "There is no such object.")
}

/// Nobody known asks.
pub(super) fn unauthenticated() -> Failure {
    refused("UNAUTHENTICATED", 401, "Nobody is known to be calling.")
}

/// A rule of the configuration keeps this caller from it.
pub(super) fn denied() -> Failure {
    refused("PERMISSION_DENIED", 403, "This caller may not remove this record.")
}

/// Another connection holds the database.
pub(super) fn busy() -> Failure {
    Failure::Refused(Refusal {
        code: "ENGINE_BUSY".to_owned(),
        status: 409,
        reason: "The database is in use elsewhere; the same call may succeed later.".to_owned(),
        retryable: true,
    })
}

fn restricted() -> Failure {
    refused("DELETE_RESTRICTED", 409, "Other records depend on this one.")
}

/// What an error of the engine means. The cause goes to the log.
pub(super) fn of(error: rusqlite::Error) -> Failure {
    let (code, message) = match &error {
        rusqlite::Error::SqliteFailure(error, message) => (error.extended_code, message.as_deref()),
        rusqlite::Error::SqlInputError { error, msg, .. } => (error.extended_code, Some(msg.as_str())),
        _ => (ffi::SQLITE_ERROR, None),
    };
    let failure = match (code & 0xff, code) {
        (_, ffi::SQLITE_CONSTRAINT_TRIGGER) => match message.unwrap_or_default() {
            RESTRICT_MESSAGE => restricted(),
            sentence => ruled(sentence),
        },
        (_, ffi::SQLITE_CONSTRAINT_FOREIGNKEY) => restricted(),
        (ffi::SQLITE_CONSTRAINT, _) => {
            refused("CONSTRAINT_VIOLATED", 409, "Removing this record would leave others that are not allowed.")
        }
        (ffi::SQLITE_BUSY | ffi::SQLITE_LOCKED, _) => busy(),
        (ffi::SQLITE_READONLY | ffi::SQLITE_PERM | ffi::SQLITE_AUTH, _) => {
            refused("PERMISSION_DENIED", 403, "The host may not change this database.")
        }
        // Only the clock interrupts a statement.
        (ffi::SQLITE_INTERRUPT, _) => Failure::DeadlineExceeded,
        (primary, _) => Failure::Faulted(fault(primary).to_owned()),
    };
    match &failure {
        Failure::Refused(refusal) => tracing::debug!(code = refusal.code, cause = %error, "SQLite refused"),
        _ => tracing::error!(cause = %error, "SQLite failed"),
    }
    failure
}

/// A fixed sentence for each kind of fault.
fn fault(code: i32) -> &'static str {
    match code {
        ffi::SQLITE_IOERR => "The database's file could not be read or written.",
        ffi::SQLITE_FULL => "The disk is full.",
        ffi::SQLITE_CORRUPT => "The database's file is damaged.",
        ffi::SQLITE_NOTADB => "The file is no database.",
        ffi::SQLITE_CANTOPEN => "The database's file could not be opened.",
        ffi::SQLITE_NOMEM => "The database ran out of memory.",
        ffi::SQLITE_TOOBIG => "A value was too large for the database.",
        ffi::SQLITE_SCHEMA => "The tables changed during the call.",
        _ => "The database failed.",
    }
}

/// A trigger's own words: `CODE status: sentence`, or any sentence.
fn ruled(message: &str) -> Failure {
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
