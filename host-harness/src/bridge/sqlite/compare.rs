//! One comparison of a column with operands, as SQL that is never null where the value fits its type.
//!
//! What SQLite can't compare exactly is refused rather than approximated, with `FILTER_NOT_EXACT` 400. That is one case:
//! a `decimal` operand that is no 64-bit integer and that no binary floating-point number stands for, such as
//! `0.1000000000000000001`. Its column holds binary numbers, so the engine has rounded what was written to it, and
//! nobody can say any more what was meant.

use rusqlite::types::Value;
use sea_query::Expr;

use super::declared::Affinity;
use super::instant;
use super::refusal::{mistyped, not_exact};
use super::schema::{Column, Table};
use super::sql::{Lists, all, bind, column as named, constant, raw};
use super::value::uuid_bytes;
use crate::bridge::decimal::Decimal;
use crate::bridge::order::Order;
use crate::bridge::{Comparison, Condition, Failure, FieldType, Scalar};

/// Values that are parameters of their own; more become one parameter, so that the number of statements stays small.
const FEW: usize = 2;

/// The comparison of a column with a condition's operands. `is-null` is the filter's own.
pub(super) fn expression(
    table: &Table,
    column: &Column,
    condition: &Condition,
    lists: &mut Lists,
) -> Result<Expr, Failure> {
    let comparison = condition.comparison;
    let operands = condition.operands.as_slice();
    if comparison == Comparison::AnyOf {
        return equal(table, column, operands, lists);
    }
    if comparison == Comparison::ContainsAll {
        return holds_all(table, column, operands);
    }
    let [operand] = operands else {
        return Err(mistyped(&column.name));
    };
    if let Some(order) = Order::of(comparison) {
        return ordered(table, column, order, operand);
    }
    match comparison {
        Comparison::Equal => equal(table, column, operands, lists),
        Comparison::Contains => holds_text(table, column, "deletegate_contains(?, ?)", operand),
        Comparison::StartsWith => holds_text(table, column, "deletegate_starts_with(?, ?)", operand),
        Comparison::EndsWith => holds_text(table, column, "deletegate_ends_with(?, ?)", operand),
        Comparison::ContainsIgnoringAsciiCase => {
            holds_text(table, column, "deletegate_contains_ignoring_case(?, ?)", operand)
        }
        _ => Err(mistyped(&column.name)),
    }
}

/// The values that a column may store for an operand, so that an index finds them; `None` for a point in time, which has
/// too many shapes. An operand of another type is an error.
pub(super) fn stored(column: &Column, operand: &Scalar) -> Result<Option<Vec<Value>>, Failure> {
    let values = match (column.type_, operand) {
        (FieldType::Boolean, Scalar::Boolean(value)) => vec![Value::Integer(i64::from(*value))],
        (FieldType::Integer, Scalar::Integer(value)) => vec![Value::Integer(*value)],
        (FieldType::Decimal, _) => vec![decimal(column, operand)?],
        (FieldType::Text | FieldType::Date, Scalar::Text(text)) => vec![Value::Text(text.clone())],
        (FieldType::Uuid, Scalar::Text(text)) => {
            let text = text.to_ascii_lowercase();
            let bytes = uuid_bytes(&text).ok_or_else(|| mistyped(&column.name))?;
            if column.holds_uuid_bytes() {
                vec![Value::Blob(bytes)]
            } else {
                vec![Value::Text(text.to_ascii_uppercase()), Value::Text(text)]
            }
        }
        (FieldType::Instant, Scalar::Instant(_)) => return Ok(None),
        _ => return Err(mistyped(&column.name)),
    };
    Ok(Some(values))
}

/// Equal to one of the operands.
fn equal(table: &Table, column: &Column, operands: &[Scalar], lists: &mut Lists) -> Result<Expr, Failure> {
    if operands.is_empty() {
        return Err(mistyped(&column.name));
    }
    if column.type_ == FieldType::Instant {
        return equal_instant(table, column, operands, lists);
    }
    let mut values = Vec::new();
    for operand in operands {
        values.extend(stored(column, operand)?.unwrap_or_default());
    }
    Ok(one_of(table, column, values, lists))
}

/// The stored value is one of `values`, to the last byte.
pub(super) fn one_of(table: &Table, column: &Column, values: Vec<Value>, lists: &mut Lists) -> Expr {
    let list = |values: &[Value], lists: &mut Lists| match values {
        [value] => bind(value),
        // The two spellings of a uuid, above all.
        few if few.len() <= FEW => Expr::tuple(few.iter().map(bind)),
        many => lists.add(many.to_vec()),
    };
    let (own, bytes) = match values.len() {
        1 => ("(? = ?)", "(? = ? COLLATE BINARY)"),
        _ => ("(? IN ?)", "(? COLLATE BINARY IN ?)"),
    };
    let found = raw(own, [named(table, column), list(&values, lists)]);
    if column.collation.is_none() {
        return found;
    }
    // The first can use an index with the column's own collation, the second decides.
    let exact = raw(bytes, [named(table, column), list(&values, lists)]);
    all(vec![found, exact])
}

fn equal_instant(table: &Table, column: &Column, operands: &[Scalar], lists: &mut Lists) -> Result<Expr, Failure> {
    let mut values = Vec::new();
    for operand in operands {
        let Scalar::Instant(instant) = operand else {
            return Err(mistyped(&column.name));
        };
        values.push(Value::Blob(instant::order(instant)));
    }
    let exact = match values.as_slice() {
        [value] => raw("(deletegate_instant(?) = ?)", [named(table, column), bind(value)]),
        _ => raw("(deletegate_instant(?) IN ?)", [named(table, column), lists.add(values)]),
    };
    let [Scalar::Instant(only)] = operands else {
        return Ok(exact);
    };
    // What an index can find: the texts of the days around it, and the integer.
    let (from, to) = instant::days_around(only);
    let near = raw(
        "((? >= ? AND ? < ?) OR ? = ?)",
        [
            named(table, column),
            bind(&Value::Text(from)),
            named(table, column),
            bind(&Value::Text(to)),
            named(table, column),
            bind(&Value::Integer(only.seconds)),
        ],
    );
    Ok(all(vec![near, exact]))
}

fn ordered(table: &Table, column: &Column, order: Order, other: &Scalar) -> Result<Expr, Failure> {
    let value = match (column.type_, other) {
        (FieldType::Text | FieldType::Date, Scalar::Text(text)) => return Ok(ordered_text(table, column, order, text)),
        (FieldType::Float, _) => return ordered_float(table, column, order, other),
        (FieldType::Instant, Scalar::Instant(instant)) => {
            let value = bind(&Value::Blob(instant::order(instant)));
            let template = match order {
                Order::Less => "(deletegate_instant(?) < ?)",
                Order::LessOrEqual => "(deletegate_instant(?) <= ?)",
                Order::Greater => "(deletegate_instant(?) > ?)",
                Order::GreaterOrEqual => "(deletegate_instant(?) >= ?)",
            };
            return Ok(raw(template, [named(table, column), value]));
        }
        (FieldType::Integer, Scalar::Integer(value)) => Value::Integer(*value),
        (FieldType::Decimal, _) => decimal(column, other)?,
        _ => return Err(mistyped(&column.name)),
    };
    Ok(raw(template(order), [named(table, column), bind(&value)]))
}

fn template(order: Order) -> &'static str {
    match order {
        Order::Less => "(? < ?)",
        Order::LessOrEqual => "(? <= ?)",
        Order::Greater => "(? > ?)",
        Order::GreaterOrEqual => "(? >= ?)",
    }
}

/// By the bytes of UTF-8, whatever the column's collation and the database's encoding.
fn ordered_text(table: &Table, column: &Column, order: Order, text: &str) -> Expr {
    if !table.utf8 {
        let bytes = raw("deletegate_bytes(?)", [named(table, column)]);
        return raw(template(order), [bytes, bind(&Value::Blob(text.as_bytes().to_vec()))]);
    }
    let template = match order {
        Order::Less => "(? < ? COLLATE BINARY)",
        Order::LessOrEqual => "(? <= ? COLLATE BINARY)",
        Order::Greater => "(? > ? COLLATE BINARY)",
        Order::GreaterOrEqual => "(? >= ? COLLATE BINARY)",
    };
    raw(template, [as_text(table, column), bind(&Value::Text(text.to_owned()))])
}

/// A number that no double stands for is rounded inwards, so that a border never widens: it lies between two doubles,
/// and those on its wrong side stay out.
fn ordered_float(table: &Table, column: &Column, order: Order, other: &Scalar) -> Result<Expr, Failure> {
    let (number, nearest) = number(other).ok_or_else(|| mistyped(&column.name))?;
    let Some(shortest) = Decimal::shortest(nearest) else {
        // Beyond every finite number, and only those fit.
        return Ok(constant(order.is_upper_bound() == (nearest > 0.0)));
    };
    let order = order.inward(number.cmp(&shortest));
    Ok(raw(template(order), [named(table, column), bind(&Value::Real(nearest))]))
}

/// The value that a decimal column stores for a number: an integer, or the double that its digits stand for.
fn decimal(column: &Column, operand: &Scalar) -> Result<Value, Failure> {
    let (number, nearest) = number(operand).ok_or_else(|| mistyped(&column.name))?;
    if let Some(integer) = number.to_i64() {
        return Ok(Value::Integer(integer));
    }
    if Decimal::shortest(nearest).is_some_and(|shortest| shortest == number) {
        return Ok(Value::Real(nearest));
    }
    Err(not_exact("SQLite"))
}

/// A number's digits, and the double nearest to it.
fn number(operand: &Scalar) -> Option<(Decimal, f64)> {
    let text = match operand {
        Scalar::Integer(value) => value.to_string(),
        Scalar::Decimal(text) => text.clone(),
        _ => return None,
    };
    Some((Decimal::parse(&text)?, text.parse().ok()?))
}

fn holds_text(table: &Table, column: &Column, template: &'static str, operand: &Scalar) -> Result<Expr, Failure> {
    match (column.type_, operand) {
        (FieldType::Text, Scalar::Text(text)) => {
            Ok(raw(template, [named(table, column), bind(&Value::Text(text.clone()))]))
        }
        _ => Err(mistyped(&column.name)),
    }
}

fn holds_all(table: &Table, column: &Column, operands: &[Scalar]) -> Result<Expr, Failure> {
    let texts: Option<Vec<&str>> = operands
        .iter()
        .map(|operand| match operand {
            Scalar::Text(text) => Some(text.as_str()),
            _ => None,
        })
        .collect();
    let texts = texts.filter(|texts| !texts.is_empty() && column.type_ == FieldType::TextList);
    let list = texts.and_then(|texts| serde_json::to_string(&texts).ok()).ok_or_else(|| mistyped(&column.name))?;
    Ok(raw("deletegate_holds_all(?, ?)", [named(table, column), bind(&Value::Text(list))]))
}

/// The column as the left side of an order. Where SQLite would turn a text that looks like a number into one, for the
/// column's sake, `+` keeps it from doing so. Equality needs no such care: the column itself holds no such text.
fn as_text(table: &Table, column: &Column) -> Expr {
    match column.affinity {
        Affinity::Numeric => raw("+?", [named(table, column)]),
        Affinity::Text | Affinity::None => named(table, column),
    }
}
