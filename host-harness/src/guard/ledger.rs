//! What became of each record, as the host itself saw it.

use std::collections::HashSet;

use delete_records::answer;
use delete_records::bridge::{Failure, Field, RecordId, Removal, Scalar};
use delete_records::id;
use delete_records::json::Json;
use delete_records::refused::Refused;
use delete_records::removal::Tally;
use delete_records::tools::{Answer, Target};
use serde::Deserialize;

use crate::plugin::CallError;

/// The removals of one call.
#[derive(Default)]
pub(super) struct Ledger {
    tally: Tally,
    /// Places of the records that were attempted.
    tried: HashSet<usize>,
    /// The record whose removal has no answer, or failed: it may or may not be gone.
    unsure: Option<RecordId>,
}

/// What stands around the counts.
pub(super) struct Frame<'a> {
    pub(super) object: &'a str,
    pub(super) key: &'a [Field],
    pub(super) cap: u32,
    pub(super) target: &'a Target,
}

impl Ledger {
    pub(super) fn attempted(&self) -> u64 {
        self.tried.len() as u64
    }

    pub(super) fn deleted(&self) -> u64 {
        self.tally.deleted
    }

    pub(super) fn has_tried(&self, place: usize) -> bool {
        self.tried.contains(&place)
    }

    /// A removal goes to the engine.
    pub(super) fn begin(&mut self, place: usize, id: &[Scalar]) {
        self.tried.insert(place);
        self.unsure = Some(id.to_vec());
    }

    /// The engine's answer to it.
    pub(super) fn record(&mut self, id: &[Scalar], removal: &Result<Removal, Failure>) {
        if self.tally.count(&id.to_vec(), removal.clone()).is_ok() {
            self.unsure = None;
        }
    }

    /// The answer to a call that the host ended, in the shape of section 8's fault: the error, and the
    /// progress as far as the host knows it. How many match is the guest's to say, so it is not in it.
    pub(super) fn answer(&self, error: &CallError, frame: &Frame, read: u64) -> Answer {
        let (code, status) = error.code();
        let deleted = match self.tally.deleted {
            0 => "Nothing was deleted".to_owned(),
            1 => "1 record was deleted before".to_owned(),
            n => format!("{n} records were deleted before"),
        };
        let mut refused = Refused::new(code, status, format!("{error} {deleted}."));
        if let CallError::Limit(limit) = error {
            refused = refused.detail("limit", Json::text(limit.to_string()));
        }
        if let Some(unsure) = &self.unsure {
            refused = refused.detail("failedRecordId", id::show(frame.key, unsure));
        }
        let mut members = answer::members(
            &answer::Frame {
                object: frame.object,
                matched: None,
                matched_more_than: None,
                not_found: &[],
                cap: frame.cap,
                target: frame.target,
                show: &|id| id::show(frame.key, id),
            },
            &self.tally,
        );
        members.push(("notAttempted".to_owned(), Json::number(read.saturating_sub(self.attempted()))));
        let json = refused.beside("progress", Json::Object(members)).json();
        Answer { failed: true, json: answer::write(json) }
    }
}

/// How many records an answer says were deleted; none where it is no answer. `of_one` is whether it answers for a
/// single record, whose `status` says that it is gone.
pub(super) fn told(json: &str, of_one: bool) -> Option<u64> {
    #[derive(Deserialize)]
    struct Told {
        #[serde(default)]
        status: String,
        #[serde(default)]
        deleted: u64,
        #[serde(default)]
        progress: Progress,
    }
    #[derive(Deserialize, Default)]
    struct Progress {
        #[serde(default)]
        deleted: u64,
    }
    let told: Told = serde_json::from_str(json).ok()?;
    if of_one && told.status == "okay" {
        return Some(1);
    }
    Some(told.deleted.max(told.progress.deleted))
}
