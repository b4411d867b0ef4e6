//! A filter's terms as one SQL condition.
//!
//! | term | SQL |
//! | --- | --- |
//! | `condition` | the value fits its type AND the comparison |
//! | `unless` | the value is null OR (it fits its type AND NOT the comparison) |
//!
//! So a value that does not fit its field's type matches neither (contract, section 5).

use sea_query::{Expr, ExprTrait};

use super::compare;
use super::refusal::{malformed, no_such_field};
use super::schema::{Column, Table};
use super::sql::{Lists, all, any, column as named, constant, raw};
use crate::bridge::defaults::FILTER_DEPTH;
use crate::bridge::{Comparison, Condition, Failure, FieldType, FilterTerm};

/// The condition of a whole filter, in prefix order.
pub(super) fn condition(table: &Table, terms: &[FilterTerm], lists: &mut Lists) -> Result<Expr, Failure> {
    let mut rest = terms;
    let expression = next(table, &mut rest, lists, FILTER_DEPTH)?;
    if rest.is_empty() { Ok(expression) } else { Err(malformed("it goes on after its end")) }
}

fn next(table: &Table, rest: &mut &[FilterTerm], lists: &mut Lists, depth: usize) -> Result<Expr, Failure> {
    let Some((term, tail)) = rest.split_first() else {
        return Err(malformed("it ends too early"));
    };
    *rest = tail;
    match term {
        FilterTerm::Condition(condition) => holds(table, condition, lists),
        FilterTerm::Unless(condition) => fails(table, condition, lists),
        FilterTerm::AllOf(count) => Ok(all(group(table, *count, rest, lists, depth)?)),
        FilterTerm::OneOf(count) => Ok(any(group(table, *count, rest, lists, depth)?)),
    }
}

fn group(
    table: &Table,
    count: u32,
    rest: &mut &[FilterTerm],
    lists: &mut Lists,
    depth: usize,
) -> Result<Vec<Expr>, Failure> {
    // A group of none would be true of every record.
    if count < 2 {
        return Err(malformed("a group has at least two members"));
    }
    let depth = depth.checked_sub(1).ok_or_else(|| malformed("its groups nest too deep"))?;
    (0..count).map(|_| next(table, rest, lists, depth)).collect()
}

fn holds(table: &Table, condition: &Condition, lists: &mut Lists) -> Result<Expr, Failure> {
    let column = column(table, condition)?;
    if condition.comparison == Comparison::IsNull {
        return Ok(is_null(table, column));
    }
    let compared = compare::expression(table, column, condition, lists)?;
    Ok(all(fits(table, column).into_iter().chain([compared]).collect()))
}

fn fails(table: &Table, condition: &Condition, lists: &mut Lists) -> Result<Expr, Failure> {
    let column = column(table, condition)?;
    if condition.comparison == Comparison::IsNull {
        return Ok(fits(table, column).unwrap_or_else(|| constant(true)));
    }
    let compared = compare::expression(table, column, condition, lists)?;
    let other = all(fits(table, column).into_iter().chain([compared.not()]).collect());
    Ok(if column.nullable { any(vec![is_null(table, column), other]) } else { other })
}

fn column<'t>(table: &'t Table, condition: &Condition) -> Result<&'t Column, Failure> {
    table.field(&condition.field).ok_or_else(no_such_field)
}

fn is_null(table: &Table, column: &Column) -> Expr {
    raw("(? IS NULL)", [named(table, column)])
}

/// Whether a stored value fits its field's type; `None` where every value does.
///
/// Never true of null.
pub(super) fn fits(table: &Table, column: &Column) -> Option<Expr> {
    let value = || named(table, column);
    Some(match column.type_ {
        FieldType::Integer if column.is_row_id => return None,
        FieldType::Integer => raw("(typeof(?) = 'integer')", [value()]),
        FieldType::Boolean => raw("(typeof(?) = 'integer' AND ? IN (0, 1))", [value(), value()]),
        // The ends are the largest finite numbers: infinity is none.
        FieldType::Decimal | FieldType::Float => raw(
            "(typeof(?) IN ('integer', 'real') AND ? BETWEEN -1.7976931348623157e308 AND 1.7976931348623157e308)",
            [value(), value()],
        ),
        FieldType::Text => raw("(typeof(?) = 'text')", [value()]),
        FieldType::Uuid if column.holds_uuid_bytes() => {
            raw("(typeof(?) = 'blob' AND length(?) = 16)", [value(), value()])
        }
        FieldType::Uuid => raw("(deletegate_is_uuid(?))", [value()]),
        // SQLite's own calendar: a day that does not exist becomes another.
        FieldType::Date => raw(
            "(typeof(?) = 'text' AND date(?) = ? COLLATE BINARY AND ? >= '0001-01-01')",
            [value(), value(), value(), value()],
        ),
        FieldType::Instant => raw("(deletegate_instant(?) IS NOT NULL)", [value()]),
        FieldType::TextList => raw("(deletegate_is_text_list(?))", [value()]),
        FieldType::Opaque => raw("(? IS NOT NULL)", [value()]),
    })
}

/// Whether a record's whole key fits: else nobody can see it.
pub(super) fn key_fits(table: &Table) -> Expr {
    let mut parts = Vec::new();
    for column in table.key_columns() {
        parts.extend(fits(table, column));
        if column.type_ == FieldType::Text {
            parts.push(raw("(deletegate_is_utf8(?))", [named(table, column)]));
        }
    }
    all(parts)
}
