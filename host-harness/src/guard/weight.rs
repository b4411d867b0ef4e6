//! How much a guest hands over, as the host's memory feels it.

use crate::bridge::{FilterTerm, Scalar, Selection};

/// A value or a term costs this besides its text.
const EACH: usize = 32;

pub(super) fn of_selection(selection: &Selection) -> usize {
    match selection {
        Selection::Every => EACH,
        Selection::Filter(terms) => terms.iter().map(of_term).sum(),
        Selection::Ids(ids) => ids.iter().map(|id| of_id(id)).sum(),
    }
}

pub(super) fn of_id(id: &[Scalar]) -> usize {
    EACH + id.iter().map(of_scalar).sum::<usize>()
}

fn of_term(term: &FilterTerm) -> usize {
    match term {
        FilterTerm::AllOf(_) | FilterTerm::OneOf(_) => EACH,
        FilterTerm::Condition(condition) | FilterTerm::Unless(condition) => {
            EACH + condition.field.len() + condition.operands.iter().map(of_scalar).sum::<usize>()
        }
    }
}

fn of_scalar(scalar: &Scalar) -> usize {
    EACH + match scalar {
        Scalar::Decimal(text) | Scalar::Text(text) => text.len(),
        Scalar::Null | Scalar::Boolean(_) | Scalar::Integer(_) | Scalar::Instant(_) => 0,
    }
}
