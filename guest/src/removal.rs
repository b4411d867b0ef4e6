//! The loop: one `remove` for each record, one at a time, in order (contract, section 8).

use crate::Bridge;
use crate::bridge::{Failure, RecordId, Refusal, Removal, Row};
use crate::prelude::*;
use crate::refused::{Refused, fit};
use crate::text;

/// What became of the records that were attempted.
#[derive(Debug, Default, Clone, PartialEq, Eq)]
pub struct Tally {
    /// Records attempted, one that failed included.
    pub attempted: u64,
    /// Gone.
    pub deleted: u64,
    /// Refused, grouped by code, status and reason, in the order in which the groups came up.
    pub groups: Vec<Group>,
    /// Answered without an error, and still there.
    pub kept: Vec<RecordId>,
    /// Not there any more when their turn came.
    pub absent: Vec<RecordId>,
    /// Work that follows a removal and failed, each sentence once.
    pub warnings: Vec<String>,
}

/// Records that were refused alike.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Group {
    /// Why.
    pub refusal: Refusal,
    /// Which.
    pub ids: Vec<RecordId>,
}

impl Tally {
    /// Counts one answer of `remove`; a failure that is no refusal stops the loop.
    pub fn count(&mut self, id: &RecordId, answer: Result<Removal, Failure>) -> Result<(), Failure> {
        self.attempted += 1;
        match answer {
            Ok(Removal::Removed) => self.deleted += 1,
            Ok(Removal::RemovedWithWarning(sentence)) => {
                self.deleted += 1;
                let sentence = text::sentence(&sentence);
                if !self.warnings.contains(&sentence) {
                    self.warnings.push(sentence);
                }
            }
            Ok(Removal::Absent) => self.absent.push(id.clone()),
            Ok(Removal::Kept) => self.kept.push(id.clone()),
            Ok(Removal::Changed) => self.refuse(id, changed()),
            Err(Failure::Refused(refusal)) => self.refuse(id, fit(refusal)),
            Err(failure) => return Err(failure),
        }
        Ok(())
    }

    /// Records that were refused.
    pub fn refused(&self) -> u64 {
        self.groups.iter().map(|group| group.ids.len() as u64).sum()
    }

    /// The groups, the largest first, ties in the order in which they came up.
    pub fn largest_first(&self) -> Vec<&Group> {
        let mut groups: Vec<&Group> = Vec::with_capacity(self.groups.len());
        for group in &self.groups {
            let place = groups.partition_point(|before| before.ids.len() >= group.ids.len());
            groups.insert(place, group);
        }
        groups
    }

    fn refuse(&mut self, id: &RecordId, refusal: Refusal) {
        match self.groups.iter_mut().find(|group| alike(&group.refusal, &refusal)) {
            Some(group) => {
                group.refusal.retryable &= refusal.retryable;
                group.ids.push(id.clone());
            }
            None => self.groups.push(Group { refusal, ids: vec![id.clone()] }),
        }
    }
}

/// The same code, status and reason. A group may be tried again where each of its records may.
fn alike(a: &Refusal, b: &Refusal) -> bool {
    (&a.code, a.status, &a.reason) == (&b.code, b.status, &b.reason)
}

fn changed() -> Refusal {
    Refusal {
        code: "RECORD_CHANGED".to_owned(),
        status: 409,
        reason: "The record changed after it was read.".to_owned(),
        retryable: true,
    }
}

/// Removes the records, and stops where the engine fails. The error says why, and which record it was at:
/// that one may or may not be gone.
pub fn run(bridge: &mut dyn Bridge, object: &str, rows: &[Row], tally: &mut Tally) -> Result<(), (Refused, RecordId)> {
    for row in rows {
        let answer = bridge.remove(object, &row.id, row.revision.as_deref());
        tally.count(&row.id, answer).map_err(|failure| (failure.into(), row.id.clone()))?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bridge::Scalar;

    #[test]
    fn a_group_is_alike_in_code_status_and_reason_and_retryable_where_each_record_is() {
        let mut tally = Tally::default();
        for (id, reason, retryable) in [(1, "busy", true), (2, "busy", false), (3, "closed", true)] {
            let refusal = Refusal { code: "BUSY".into(), status: 409, reason: reason.into(), retryable };
            assert_eq!(tally.count(&vec![Scalar::Integer(id)], Err(Failure::Refused(refusal))), Ok(()));
        }
        let groups: Vec<_> = tally.groups.iter().map(|group| (group.ids.len(), group.refusal.retryable)).collect();
        assert_eq!(groups, [(2, false), (1, true)]);
    }
}
