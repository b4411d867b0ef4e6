//! What an error of PostgreSQL means to a caller: a rule's refusal, a passing lock, or a fault (contract, section 10).
//!
//! It is judged by its SQLSTATE and never by its text.

use tokio_postgres::error::SqlState;

pub(super) use crate::bridge::refusal::*;

use super::connection::Trouble;
use crate::bridge::Failure;

/// What an error of the engine means; `late` where the time of the statement is over. The cause goes to the log.
pub(super) fn of(trouble: &Trouble, late: bool) -> Failure {
    let failure = meant(trouble, late);
    match &failure {
        Failure::Refused(refusal) => tracing::debug!(code = refusal.code, cause = cause(trouble), "PostgreSQL refused"),
        _ => tracing::error!(cause = cause(trouble), "PostgreSQL failed"),
    }
    failure
}

fn meant(trouble: &Trouble, late: bool) -> Failure {
    let Some(error) = trouble.error().as_db_error() else {
        return lost();
    };
    let state = error.code();
    let (class, code) = (&state.code()[..2], state.code());
    if let Trouble::Settings(_) = trouble
        && (class == "22" || matches!(code, "42501" | "42704"))
    {
        return no_role();
    }
    match code {
        _ if *state == SqlState::RAISE_EXCEPTION => ruled(error.message()),
        // The newest releases tell RESTRICT from the other foreign keys.
        "23503" | "23001" => restricted(),
        "42501" => denied(),
        "25006" => read_only(),
        // Only a statement of the bridge's own has no context; a rule's mistake has the rule's.
        "21000" if error.where_().is_none() => ambiguous(),
        "57014" if late => Failure::DeadlineExceeded,
        "57014" | "55P03" | "55006" | "53300" => busy(),
        "53100" => Failure::Faulted("The disk is full.".to_owned()),
        "53200" => Failure::Faulted("The database ran out of memory.".to_owned()),
        "57P01" | "57P02" | "57P03" | "57P05" => lost(),
        "42P01" | "42703" | "42704" | "42883" | "0A000" if error.where_().is_none() => {
            Failure::Faulted("The tables changed during the call.".to_owned())
        }
        _ => match class {
            "P0" => refused("RULE_REFUSED", 409, "A rule of the database keeps this record."),
            "23" | "44" => constrained(),
            "40" => busy(),
            "22" if error.where_().is_none() => refused(
                "INVALID_FILTER",
                400,
                "The database can't read one of the values, or a rule can't read the caller's id.",
            ),
            "08" => lost(),
            "58" => Failure::Faulted("The database's file could not be read or written.".to_owned()),
            "XX" => Failure::Faulted("The database's file is damaged, or the database failed.".to_owned()),
            _ => Failure::Faulted("The database failed.".to_owned()),
        },
    }
}

/// The caller can't be anybody there.
pub(super) fn no_role() -> Failure {
    refused("PERMISSION_DENIED", 403, "The database has no role for this caller.")
}

/// Whether the very same transaction may go through at once: it was the victim of a deadlock or of another's commit.
pub(super) fn passes(trouble: &Trouble) -> bool {
    trouble.error().code().is_some_and(|state| matches!(state.code(), "40001" | "40P01"))
}

/// The connection is gone, and whatever was under way on it may or may not have happened.
pub(super) fn lost() -> Failure {
    Failure::Faulted("The connection to the database was lost.".to_owned())
}

fn cause(trouble: &Trouble) -> String {
    chain(trouble.error())
}

/// An error with what caused it.
pub(super) fn chain(error: &(dyn std::error::Error + 'static)) -> String {
    let mut text = error.to_string();
    let mut next = error.source();
    while let Some(error) = next {
        // Some errors say their cause themselves.
        let cause = error.to_string();
        if !text.ends_with(&cause) {
            text = format!("{text}: {cause}");
        }
        next = error.source();
    }
    text
}
