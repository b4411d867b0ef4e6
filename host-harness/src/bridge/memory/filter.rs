//! Filters in plain Rust, by section 5 of the contract and nothing else.
//!
//! Written to be read next to the contract rather than to be fast: the suite takes it as the
//! oracle for every other engine.

use std::cmp::Ordering;

use super::super::{Comparison, Condition, FieldType, FilterTerm, Scalar};
use super::decimal::Decimal;
use super::tables::{Object, Row};
use super::value::Stored;

/// What is wrong with a filter that this object can't evaluate exactly, as a sentence.
pub(super) fn fault(object: &Object, terms: &[FilterTerm]) -> Option<String> {
    let mut open = 1usize;
    for term in terms {
        if open == 0 {
            return Some("the filter goes on after its end".into());
        }
        open -= 1;
        match term {
            FilterTerm::AllOf(n) | FilterTerm::OneOf(n) if *n < 2 => {
                return Some("a group holds at least two filters".into());
            }
            FilterTerm::AllOf(n) | FilterTerm::OneOf(n) => open += *n as usize,
            FilterTerm::Condition(condition) | FilterTerm::Unless(condition) => {
                if let Some(fault) = condition_fault(object, condition) {
                    return Some(fault);
                }
            }
        }
    }
    (open > 0).then(|| "the filter ends before its last group is full".into())
}

fn condition_fault(object: &Object, condition: &Condition) -> Option<String> {
    use Comparison as C;
    let name = &condition.field;
    let Some(field) = object.field(name).filter(|field| !field.withheld) else {
        return Some(format!("no field is called {name:?}"));
    };
    let count = condition.operands.len();
    let counted = match condition.comparison {
        C::IsNull => count == 0,
        C::AnyOf | C::ContainsAll => count > 0,
        _ => count == 1,
    };
    if !counted {
        return Some(format!("{count} operands are not what the comparison of {name:?} takes"));
    }
    let ordered = matches!(condition.comparison, C::Less | C::LessOrEqual | C::Greater | C::GreaterOrEqual);
    let equality = matches!(condition.comparison, C::Equal | C::AnyOf);
    let textual =
        matches!(condition.comparison, C::Contains | C::StartsWith | C::EndsWith | C::ContainsIgnoringAsciiCase);
    let allowed = condition.comparison == C::IsNull
        || match field.kind {
            FieldType::Boolean | FieldType::Uuid => equality,
            FieldType::Integer | FieldType::Decimal | FieldType::Date | FieldType::Instant => equality || ordered,
            FieldType::Float => ordered,
            FieldType::Text => equality || ordered || textual,
            FieldType::TextList => condition.comparison == C::ContainsAll,
            FieldType::Opaque => false,
        };
    if !allowed {
        return Some(format!("the type of {name:?} does not have this comparison"));
    }
    let fits = |operand: &Scalar| match (field.kind, operand) {
        (FieldType::Boolean, Scalar::Boolean(_))
        | (FieldType::Integer, Scalar::Integer(_))
        | (FieldType::Text | FieldType::Uuid | FieldType::Date, Scalar::Text(_))
        | (FieldType::Instant, Scalar::Instant(_))
        | (FieldType::TextList, Scalar::Text(_)) => true,
        (FieldType::Decimal | FieldType::Float, _) => Decimal::of(operand).is_some(),
        _ => false,
    };
    (!condition.operands.iter().all(fits)).then(|| format!("an operand of {name:?} is not of its type"))
}

/// Whether the filter is true for the row. The filter has no [`fault`].
pub(super) fn matches(object: &Object, terms: &[FilterTerm], row: &Row) -> bool {
    next(object, &mut terms.iter(), row)
}

/// Takes one whole filter off the front of the terms; a group never stops early, since its rest must
/// be taken too.
fn next(object: &Object, terms: &mut std::slice::Iter<'_, FilterTerm>, row: &Row) -> bool {
    match terms.next() {
        Some(FilterTerm::AllOf(n)) => (0..*n).fold(true, |all, _| next(object, terms, row) && all),
        Some(FilterTerm::OneOf(n)) => (0..*n).fold(false, |any, _| next(object, terms, row) || any),
        Some(FilterTerm::Condition(condition)) => holds(object, condition, row) == Some(true),
        Some(FilterTerm::Unless(condition)) => holds(object, condition, row) == Some(false),
        None => false,
    }
}

/// Whether the condition is true; `None` for a stored value that does not fit its field, which
/// matches neither the condition nor its negation.
fn holds(object: &Object, condition: &Condition, row: &Row) -> Option<bool> {
    use Comparison as C;
    let field = object.field(&condition.field)?;
    let stored = Stored::read(field.kind, row.get(&condition.field));
    match stored {
        Stored::Misfit => return None,
        Stored::Null => return Some(condition.comparison == C::IsNull),
        _ => {}
    }
    let operands = &condition.operands;
    Some(match condition.comparison {
        C::IsNull => false,
        C::ContainsAll => operands.iter().all(|operand| has_entry(&stored, operand)),
        C::AnyOf => operands.iter().any(|operand| stored.order(operand) == Some(Ordering::Equal)),
        other => compare(&stored, other, operands.first()?),
    })
}

fn compare(stored: &Stored, comparison: Comparison, operand: &Scalar) -> bool {
    use Comparison as C;
    let order = match stored {
        // It has an order and no equality.
        Stored::Float(_) if comparison == C::Equal => None,
        Stored::Float(value) => order_of_float(*value, operand),
        other => other.order(operand),
    };
    match comparison {
        C::Equal => order == Some(Ordering::Equal),
        C::Less => order.is_some_and(Ordering::is_lt),
        C::LessOrEqual => order.is_some_and(Ordering::is_le),
        C::Greater => order.is_some_and(Ordering::is_gt),
        C::GreaterOrEqual => order.is_some_and(Ordering::is_ge),
        _ => match (stored, operand) {
            (Stored::Text(value), Scalar::Text(operand)) => text(value, comparison, operand),
            _ => false,
        },
    }
}

fn text(value: &str, comparison: Comparison, operand: &str) -> bool {
    match comparison {
        Comparison::Contains => value.contains(operand),
        Comparison::StartsWith => value.starts_with(operand),
        Comparison::EndsWith => value.ends_with(operand),
        Comparison::ContainsIgnoringAsciiCase => value.to_ascii_lowercase().contains(&operand.to_ascii_lowercase()),
        _ => false,
    }
}

/// How a double compares with a decimal operand: by the shortest digits that name it, so that a stored 0.1 is the 0.1
/// that somebody writes, and an operand between two doubles lies between their names.
fn order_of_float(value: f64, operand: &Scalar) -> Option<Ordering> {
    Some(Decimal::parse(&format!("{value:e}"))?.cmp(&Decimal::of(operand)?))
}

fn has_entry(stored: &Stored, operand: &Scalar) -> bool {
    match (stored, operand) {
        (Stored::List(entries), Scalar::Text(operand)) => entries.contains(operand),
        _ => false,
    }
}
