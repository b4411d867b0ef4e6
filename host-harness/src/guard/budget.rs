//! What is left of a call's limits, and what each use of the bridge takes of it.

use std::time::Instant;

use crate::bridge::{FilterTerm, Scalar, Selection};
use crate::plugin::{Limit, Limits};

/// What is left.
pub(super) struct Budget {
    deadline: Instant,
    bridge_calls: u32,
    bytes: usize,
}

impl Budget {
    /// The call's time begins here.
    pub(super) fn new(limits: &Limits, cap: u32) -> Budget {
        Budget {
            deadline: Instant::now() + limits.call_time,
            bridge_calls: limits.bridge_calls(cap),
            bytes: limits.handed_bytes_in_all,
        }
    }

    /// Takes one use of the bridge, with so many bytes handed over.
    pub(super) fn spend(&mut self, bytes: usize) -> Result<(), Limit> {
        self.bridge_calls = self.bridge_calls.checked_sub(1).ok_or(Limit::BridgeCalls)?;
        self.bytes = self.bytes.checked_sub(bytes).ok_or(Limit::Bytes)?;
        Ok(())
    }

    pub(super) fn is_over_time(&self) -> bool {
        Instant::now() >= self.deadline
    }
}

/// A value or a term costs this besides its text.
const EACH: usize = 32;

pub(super) fn bytes_of_selection(selection: &Selection) -> usize {
    match selection {
        Selection::Every => EACH,
        Selection::Filter(terms) => terms.iter().map(bytes_of_term).sum(),
        Selection::Ids(ids) => ids.iter().map(|id| bytes_of_id(id)).sum(),
    }
}

pub(super) fn bytes_of_id(id: &[Scalar]) -> usize {
    EACH + id.iter().map(bytes_of_scalar).sum::<usize>()
}

fn bytes_of_term(term: &FilterTerm) -> usize {
    match term {
        FilterTerm::AllOf(_) | FilterTerm::OneOf(_) => EACH,
        FilterTerm::Condition(condition) | FilterTerm::Unless(condition) => {
            EACH + condition.field.len() + condition.operands.iter().map(bytes_of_scalar).sum::<usize>()
        }
    }
}

fn bytes_of_scalar(scalar: &Scalar) -> usize {
    EACH + match scalar {
        Scalar::Decimal(text) | Scalar::Text(text) => text.len(),
        Scalar::Null | Scalar::Boolean(_) | Scalar::Integer(_) | Scalar::Instant(_) => 0,
    }
}
