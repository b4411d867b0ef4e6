//! What an error of SQLite means to a caller: a rule's refusal, a passing lock, or a fault (contract, section 10).

use rusqlite::ffi;

pub(super) use crate::bridge::refusal::*;

use crate::bridge::Failure;

/// What SQLite itself raises for `ON DELETE RESTRICT`, under the code of a trigger: it builds such a key as a trigger
/// of its own.
const RESTRICT_MESSAGE: &str = "FOREIGN KEY constraint failed";

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
        (ffi::SQLITE_CONSTRAINT, _) => constrained(),
        (ffi::SQLITE_BUSY | ffi::SQLITE_LOCKED, _) => busy(),
        (ffi::SQLITE_READONLY | ffi::SQLITE_PERM | ffi::SQLITE_AUTH, _) => read_only(),
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
