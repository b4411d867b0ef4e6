//! Whether a selection stays within one scope of an event log.

use delete_records::bridge::{Comparison, Field, FilterTerm, Selection};
use delete_records::id;
use delete_records::json::Json;

/// Whether every record selected has this value in the field: the filter, or a part of it without which none holds,
/// says so.
pub(super) fn is_pinned(field: &Field, value: &str, selection: &Selection) -> bool {
    let Selection::Filter(terms) = selection else { return false };
    // A value is read by its field's type as an id is.
    let Ok(value) = id::read(std::slice::from_ref(field), &Json::text(value), "") else { return false };
    let pins = |term: &FilterTerm| match term {
        FilterTerm::Condition(condition) => {
            condition.field == field.name && condition.comparison == Comparison::Equal && condition.operands == value
        }
        _ => false,
    };
    all_of(terms).any(pins)
}

/// The terms that must all hold: the parts of the outermost group, or the one condition.
fn all_of(terms: &[FilterTerm]) -> impl Iterator<Item = &FilterTerm> {
    let (parts, mut rest) = match terms.split_first() {
        Some((FilterTerm::AllOf(parts), rest)) => (*parts, rest),
        _ => (1, terms),
    };
    (0..parts).map_while(move |_| {
        let (first, _) = rest.split_first()?;
        rest = rest.get(length(rest)?..)?;
        Some(first)
    })
}

/// How many terms the first filter in prefix order has.
fn length(terms: &[FilterTerm]) -> Option<usize> {
    let (mut open, mut read) = (1_usize, 0_usize);
    while open > 0 {
        open -= 1;
        if let FilterTerm::AllOf(parts) | FilterTerm::OneOf(parts) = terms.get(read)? {
            open = open.checked_add(*parts as usize)?;
        }
        read += 1;
    }
    Some(read)
}
