//! A filter's terms as one SQL condition.
//!
//! | term | SQL |
//! | --- | --- |
//! | `condition` | the value fits its type AND the comparison |
//! | `unless` | the value is null OR (it fits its type AND NOT the comparison) |
//!
//! So a value that does not fit its field's type (infinity, a year before 1 or after 9999) matches neither (contract,
//! section 5).

use super::column::Column;
use super::compare;
use super::refusal::{malformed, no_such_field};
use super::sql::{Params, all, any};
use crate::bridge::defaults::FILTER_DEPTH;
use crate::bridge::{Comparison, Condition, Failure, FilterTerm};

/// The condition of a whole filter, in prefix order.
pub(super) fn condition(columns: &[Column], terms: &[FilterTerm], params: &mut Params) -> Result<String, Failure> {
    let mut rest = terms;
    let condition = next(columns, &mut rest, params, FILTER_DEPTH)?;
    if rest.is_empty() { Ok(condition) } else { Err(malformed("it goes on after its end")) }
}

fn next(columns: &[Column], rest: &mut &[FilterTerm], params: &mut Params, depth: usize) -> Result<String, Failure> {
    let Some((term, tail)) = rest.split_first() else {
        return Err(malformed("it ends too early"));
    };
    *rest = tail;
    match term {
        FilterTerm::Condition(condition) => holds(named(columns, condition)?, condition, params),
        FilterTerm::Unless(condition) => fails(named(columns, condition)?, condition, params),
        FilterTerm::AllOf(count) => Ok(all(group(columns, *count, rest, params, depth)?)),
        FilterTerm::OneOf(count) => Ok(any(group(columns, *count, rest, params, depth)?)),
    }
}

fn group(
    columns: &[Column],
    count: u32,
    rest: &mut &[FilterTerm],
    params: &mut Params,
    depth: usize,
) -> Result<Vec<String>, Failure> {
    // A group of none would be true of every record.
    if count < 2 {
        return Err(malformed("a group has at least two members"));
    }
    let depth = depth.checked_sub(1).ok_or_else(|| malformed("its groups nest too deep"))?;
    (0..count).map(|_| next(columns, rest, params, depth)).collect()
}

fn holds(column: &Column, condition: &Condition, params: &mut Params) -> Result<String, Failure> {
    if condition.comparison == Comparison::IsNull {
        return Ok(column.is_null());
    }
    let compared = compare::expression(column, condition, params)?;
    Ok(all(column.fits().into_iter().chain([compared])))
}

fn fails(column: &Column, condition: &Condition, params: &mut Params) -> Result<String, Failure> {
    let has_value = format!("(NOT {})", column.is_null());
    if condition.comparison == Comparison::IsNull {
        return Ok(all([has_value].into_iter().chain(column.fits())));
    }
    let compared = compare::expression(column, condition, params)?;
    let other = all([has_value].into_iter().chain(column.fits()).chain([format!("(NOT {compared})")]));
    Ok(if column.nullable { any([column.is_null(), other]) } else { other })
}

fn named<'c>(columns: &'c [Column], condition: &Condition) -> Result<&'c Column, Failure> {
    columns.iter().find(|column| column.name == condition.field).ok_or_else(no_such_field)
}
