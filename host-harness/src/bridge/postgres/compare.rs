//! One comparison of a column with operands, as SQL that is null only where the value is.
//!
//! Text is compared by its bytes whatever the column's collation, beside the column's own equality where an index can
//! serve that. Numbers and points in time are exact: what a column can't hold is rounded inwards.

use std::str::FromStr;

use super::column::{Column, Stored};
use super::refusal::{mistyped, not_exact};
use super::sql::{Moment, Params};
use crate::bridge::decimal::Decimal;
use crate::bridge::order::Order;
use crate::bridge::{Comparison, Condition, Failure, FieldType, Instant, Scalar};

/// Matches no record.
const NOTHING: &str = "FALSE";

/// Digits of an operand that PostgreSQL takes: before the point, and behind it.
const MAX_WHOLE: i64 = 100_000;
const MAX_DIGITS: usize = 16_000;

/// The comparison of a column with a condition's operands. `is-null` is the filter's own.
pub(super) fn expression(column: &Column, condition: &Condition, params: &mut Params) -> Result<String, Failure> {
    let wrong = || mistyped(&column.name);
    let operands = condition.operands.as_slice();
    match condition.comparison {
        Comparison::AnyOf if !operands.is_empty() => return equal(column, operands, params),
        Comparison::ContainsAll => return holds_all(column, operands, params),
        _ => {}
    }
    let [operand] = operands else {
        return Err(wrong());
    };
    if let Some(order) = Order::of(condition.comparison) {
        return ordered(column, order, operand, params);
    }
    if condition.comparison == Comparison::Equal {
        return equal(column, operands, params);
    }
    let (FieldType::Text, Scalar::Text(text)) = (column.type_, operand) else {
        return Err(wrong());
    };
    let (bytes, part) = (column.bytes(), format!("({} COLLATE \"C\")", params.text(text.as_str())));
    Ok(match condition.comparison {
        Comparison::Contains => format!("(strpos({bytes}, {part}) > 0)"),
        Comparison::StartsWith => format!("starts_with({bytes}, {part})"),
        Comparison::EndsWith => format!("(right({bytes}, length({part})) = {part})"),
        // In this collation only A to Z have another case.
        Comparison::ContainsIgnoringAsciiCase => format!("(strpos(lower({bytes}), lower({part})) > 0)"),
        _ => return Err(wrong()),
    })
}

/// A value that a column can store, in the form in which it is bound.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Bound {
    Text(String),
    Moment(Moment),
}

/// The value that a column stores for an operand; `None` where it can store none such. An operand of another type is an
/// error.
pub(super) fn stored(column: &Column, operand: &Scalar) -> Result<Option<Bound>, Failure> {
    let text = match (column.type_, operand) {
        (FieldType::Boolean, Scalar::Boolean(value)) => value.to_string(),
        (FieldType::Integer, Scalar::Integer(value)) => value.to_string(),
        (FieldType::Decimal, _) => digits(column, operand)?,
        (FieldType::Text, Scalar::Text(text)) => match &column.stored {
            Stored::Labels(labels) if !labels.contains(text) => return Ok(None),
            _ => text.clone(),
        },
        (FieldType::Date, Scalar::Text(text)) => text.clone(),
        (FieldType::Uuid, Scalar::Text(text)) => text.to_ascii_lowercase(),
        (FieldType::Instant, Scalar::Instant(instant)) => {
            return Ok(moment(column, instant)?.and_then(|(moment, exact)| exact.then_some(Bound::Moment(moment))));
        }
        _ => return Err(mistyped(&column.name)),
    };
    Ok(Some(Bound::Text(text)))
}

fn moment(column: &Column, instant: &Instant) -> Result<Option<(Moment, bool)>, Failure> {
    match Moment::floor(instant) {
        Some(found) => Ok(Some(found)),
        None => Err(mistyped(&column.name)),
    }
}

/// Equal to one of the operands, to the last byte.
fn equal(column: &Column, operands: &[Scalar], params: &mut Params) -> Result<String, Failure> {
    if !column.can_be_key() {
        return Err(mistyped(&column.name));
    }
    let mut values = Vec::new();
    for operand in operands {
        values.extend(stored(column, operand)?);
    }
    Ok(one_of(column, values, params))
}

/// The stored value is one of `values`.
pub(super) fn one_of(column: &Column, values: Vec<Bound>, params: &mut Params) -> String {
    let sql = &column.sql;
    match <[Bound; 1]>::try_from(values).map_err(split) {
        Ok([value]) => is(column, &bind(column, value, params)),
        Err((texts, _)) if !texts.is_empty() => {
            let own = params.texts(texts);
            let found = format!("({sql} = ANY(CAST({own} AS {}[])))", column.cast);
            exactly(column, found, format!("({} = ANY({own}))", column.bytes()))
        }
        Err((_, moments)) if !moments.is_empty() => {
            format!("({sql} = ANY({}))", params.moments(moments, column.stored == Stored::Zoned))
        }
        Err(_) => NOTHING.to_owned(),
    }
}

/// Binds a value that the column can store; the parameter's name.
pub(super) fn bind(column: &Column, value: Bound, params: &mut Params) -> String {
    match value {
        Bound::Text(text) => params.text(text),
        Bound::Moment(moment) => params.moment(moment, column.stored == Stored::Zoned),
    }
}

/// The stored value is the one that was bound by this name.
pub(super) fn is(column: &Column, bound: &str) -> String {
    let sql = &column.sql;
    match column.type_ {
        FieldType::Instant => format!("({sql} = {bound})"),
        _ => exactly(
            column,
            format!("({sql} = CAST({bound} AS {}))", column.cast),
            format!("({} = {bound})", column.bytes()),
        ),
    }
}

/// The first can use an index, the second decides.
fn exactly(column: &Column, found: String, bytes: String) -> String {
    if column.loose { format!("({found} AND {bytes})") } else { found }
}

/// The texts and the moments among values, each in order.
pub(super) fn split(values: Vec<Bound>) -> (Vec<String>, Vec<Moment>) {
    let (mut texts, mut moments) = (Vec::new(), Vec::new());
    for value in values {
        match value {
            Bound::Text(text) => texts.push(text),
            Bound::Moment(moment) => moments.push(moment),
        }
    }
    (texts, moments)
}

fn ordered(column: &Column, order: Order, operand: &Scalar, params: &mut Params) -> Result<String, Failure> {
    let sql = &column.sql;
    match (column.type_, operand) {
        (FieldType::Text, Scalar::Text(text)) => {
            Ok(format!("({} {} {})", column.bytes(), operator(order), params.text(text.as_str())))
        }
        (FieldType::Date, Scalar::Text(_)) | (FieldType::Integer, Scalar::Integer(_)) | (FieldType::Decimal, _) => {
            match stored(column, operand)? {
                Some(Bound::Text(text)) => {
                    Ok(format!("({sql} {} CAST({} AS {}))", operator(order), params.text(text), column.cast))
                }
                _ => Err(mistyped(&column.name)),
            }
        }
        (FieldType::Float, _) => ordered_float(column, order, operand, params),
        (FieldType::Instant, Scalar::Instant(instant)) => {
            let (moment, exact) = moment(column, instant)?.ok_or_else(|| mistyped(&column.name))?;
            // The operand lies behind the moment that stands for it.
            let order = if exact { order } else { order.inward(std::cmp::Ordering::Greater) };
            Ok(format!("({sql} {} {})", operator(order), params.moment(moment, column.stored == Stored::Zoned)))
        }
        _ => Err(mistyped(&column.name)),
    }
}

fn operator(order: Order) -> &'static str {
    match order {
        Order::Less => "<",
        Order::LessOrEqual => "<=",
        Order::Greater => ">",
        Order::GreaterOrEqual => ">=",
    }
}

/// A stored number is the decimal that it is written as, the shortest that names it.
fn ordered_float(column: &Column, order: Order, operand: &Scalar, params: &mut Params) -> Result<String, Failure> {
    let (number, text) = number(operand).ok_or_else(|| mistyped(&column.name))?;
    let (shortest, beyond) = match column.stored {
        Stored::Single => nearest::<f32>(&text),
        _ => nearest::<f64>(&text),
    }
    .ok_or_else(|| mistyped(&column.name))?;
    let Some(value) = Decimal::parse(&shortest) else {
        // Beyond every finite number, and only those fit.
        return Ok(if order.is_upper_bound() == beyond { "TRUE" } else { NOTHING }.to_owned());
    };
    let order = order.inward(number.cmp(&value));
    Ok(format!("({} {} CAST({} AS {}))", column.sql, operator(order), params.text(shortest), column.cast))
}

/// The number of a binary type that is nearest to a text, as its own shortest text, and whether it is above zero.
fn nearest<T: FromStr + std::fmt::LowerExp + PartialOrd + Default>(text: &str) -> Option<(String, bool)> {
    let value: T = text.parse().ok()?;
    Some((format!("{value:e}"), value > T::default()))
}

/// An operand's digits as PostgreSQL reads them.
fn digits(column: &Column, operand: &Scalar) -> Result<String, Failure> {
    let (number, text) = number(operand).ok_or_else(|| mistyped(&column.name))?;
    if number.size() > MAX_WHOLE || number.size() < -MAX_WHOLE || text.len() > MAX_DIGITS {
        return Err(not_exact("PostgreSQL"));
    }
    // A tiny number has more digits behind the point than the engine keeps of an operand.
    if number.places() > MAX_DIGITS as i64 { Err(not_exact("PostgreSQL")) } else { Ok(text) }
}

fn number(operand: &Scalar) -> Option<(Decimal, String)> {
    let text = match operand {
        Scalar::Integer(value) => value.to_string(),
        Scalar::Decimal(text) => text.clone(),
        _ => return None,
    };
    Some((Decimal::parse(&text)?, text))
}

fn holds_all(column: &Column, operands: &[Scalar], params: &mut Params) -> Result<String, Failure> {
    let texts: Option<Vec<String>> = operands
        .iter()
        .map(|operand| match operand {
            Scalar::Text(text) => Some(text.clone()),
            _ => None,
        })
        .collect();
    let texts = texts
        .filter(|texts| !texts.is_empty() && column.type_ == FieldType::TextList)
        .ok_or_else(|| mistyped(&column.name))?;
    let (sql, texts) = (&column.sql, params.texts(texts));
    Ok(match column.stored {
        Stored::Json => format!("(CAST({sql} AS pg_catalog.jsonb) ?& {texts})"),
        _ => format!("(CAST({sql} AS pg_catalog.text[]) @> {texts})"),
    })
}
