//! The operators: which types they serve, and what condition each becomes.

use crate::bridge::{Comparison, Condition, Field, FieldType, Scalar};
use crate::json::Json;
use crate::near;
use crate::prelude::*;
use crate::refused::Refused;
use crate::scalar;
use crate::text::{NAME_LIMIT, quote};

use super::MAX_TERMS;
use super::node::Node;

/// A comparison operator of the filter grammar.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Operator {
    Eq,
    Ne,
    Gt,
    Gte,
    Lt,
    Lte,
    In,
    Nin,
    Between,
    Contains,
    NotContains,
    StartsWith,
    EndsWith,
    Icontains,
    Null,
    Exists,
}

const OPERATORS: [(&str, Operator); 16] = [
    ("$eq", Operator::Eq),
    ("$ne", Operator::Ne),
    ("$gt", Operator::Gt),
    ("$gte", Operator::Gte),
    ("$lt", Operator::Lt),
    ("$lte", Operator::Lte),
    ("$in", Operator::In),
    ("$nin", Operator::Nin),
    ("$between", Operator::Between),
    ("$contains", Operator::Contains),
    ("$notContains", Operator::NotContains),
    ("$startsWith", Operator::StartsWith),
    ("$endsWith", Operator::EndsWith),
    ("$icontains", Operator::Icontains),
    ("$null", Operator::Null),
    ("$exists", Operator::Exists),
];

impl Operator {
    /// The operator of this name.
    pub fn find(name: &str) -> Option<Operator> {
        OPERATORS.iter().find(|(known, _)| *known == name).map(|(_, operator)| *operator)
    }

    /// The name that a wrong one is nearest to, with or without its `$`.
    pub fn near(name: &str) -> Option<&'static str> {
        let names = || OPERATORS.iter().map(|(known, _)| *known);
        let spoken = match name.trim_start_matches('$').to_ascii_lowercase().as_str() {
            "lessthan" => Some("$lt"),
            "greaterthan" => Some("$gt"),
            "equals" | "equal" | "is" => Some("$eq"),
            "not" | "neq" => Some("$ne"),
            "notin" => Some("$nin"),
            "isnull" => Some("$null"),
            _ => None,
        };
        let exact = names().find(|known| known.trim_start_matches('$').eq_ignore_ascii_case(name));
        spoken.or(exact).or_else(|| near::nearest(name, names()))
    }

    /// Whether a field of this type has the operator (the table of section 5). `$eq`, `$ne` and
    /// `$exists` are there for every type, since null can be asked of all.
    pub fn serves(self, kind: FieldType) -> bool {
        use FieldType as T;
        match self {
            Operator::Null | Operator::Exists | Operator::Eq | Operator::Ne => true,
            Operator::In | Operator::Nin => !matches!(kind, T::Float | T::TextList | T::Opaque),
            Operator::Gt | Operator::Gte | Operator::Lt | Operator::Lte | Operator::Between => {
                matches!(kind, T::Integer | T::Decimal | T::Float | T::Text | T::Date | T::Instant)
            }
            Operator::Contains => matches!(kind, T::Text | T::TextList),
            Operator::NotContains | Operator::StartsWith | Operator::EndsWith | Operator::Icontains => kind == T::Text,
        }
    }

    /// The condition that this operator makes of a field and its operand.
    pub fn read(self, field: &Field, operand: &Json, path: &str) -> Result<Node, Refused> {
        let one = |comparison, operand: &Json| -> Result<Node, Refused> {
            Ok(is(field, comparison, vec![value(field, operand, path)?]))
        };
        let not = |node: Node| Node::Not(Box::new(node));
        match self {
            Operator::Null => Ok(if flag(operand, path)? { null(field) } else { not(null(field)) }),
            Operator::Exists => Ok(if flag(operand, path)? { not(null(field)) } else { null(field) }),
            Operator::Eq if *operand == Json::Null => Ok(null(field)),
            Operator::Ne if *operand == Json::Null => Ok(not(null(field))),
            _ if *operand == Json::Null => Err(no_null(path)),
            Operator::Eq | Operator::Ne if !has_equality(field.type_) => Err(no_equality(field, path)),
            Operator::Eq => one(Comparison::Equal, operand),
            Operator::Ne => Ok(not(one(Comparison::Equal, operand)?)),
            Operator::Gt => one(Comparison::Greater, operand),
            Operator::Gte => one(Comparison::GreaterOrEqual, operand),
            Operator::Lt => one(Comparison::Less, operand),
            Operator::Lte => one(Comparison::LessOrEqual, operand),
            Operator::In => any_of(field, operand, path),
            Operator::Nin => Ok(not(any_of(field, operand, path)?)),
            Operator::Between => match operand {
                Json::List(ends) if ends.len() == 2 => Ok(Node::All(vec![
                    one(Comparison::GreaterOrEqual, &ends[0])?,
                    one(Comparison::LessOrEqual, &ends[1])?,
                ])),
                _ => Err(Refused::filter(format!("{path} takes a list of two ends, both included."))),
            },
            Operator::Contains if field.type_ == FieldType::TextList => one(Comparison::ContainsAll, operand),
            Operator::Contains => part(field, Comparison::Contains, operand, path),
            Operator::NotContains => Ok(not(part(field, Comparison::Contains, operand, path)?)),
            Operator::StartsWith => part(field, Comparison::StartsWith, operand, path),
            Operator::EndsWith => part(field, Comparison::EndsWith, operand, path),
            Operator::Icontains => part(field, Comparison::ContainsIgnoringAsciiCase, operand, path),
        }
    }
}

/// The sentence that tells what a field takes: its type and its operators.
pub fn allowed(field: &Field) -> String {
    let names = OPERATORS
        .iter()
        .filter(|(_, operator)| operator.serves(field.type_))
        .filter(|(_, operator)| has_equality(field.type_) || !matches!(operator, Operator::Eq | Operator::Ne))
        .map(|(name, _)| *name)
        .collect::<Vec<_>>()
        .join(" ");
    format!("{} is {} and takes {names}.", quote(&field.name, NAME_LIMIT), type_name(field.type_))
}

/// A type as it stands in a sentence.
pub fn type_name(kind: FieldType) -> &'static str {
    match kind {
        FieldType::Boolean => "a boolean",
        FieldType::Integer => "an integer",
        FieldType::Decimal => "a decimal number",
        FieldType::Float => "a floating-point number",
        FieldType::Text => "text",
        FieldType::Uuid => "a uuid",
        FieldType::Date => "a date",
        FieldType::Instant => "an instant",
        FieldType::TextList => "a list of texts",
        FieldType::Opaque => "of a type that can't be compared",
    }
}

fn has_equality(kind: FieldType) -> bool {
    !matches!(kind, FieldType::Float | FieldType::TextList | FieldType::Opaque)
}

fn no_equality(field: &Field, path: &str) -> Refused {
    let why = match field.type_ {
        FieldType::Float => " A floating-point number is not always what it seems: use an order.",
        _ => "",
    };
    Refused::filter(format!("{path}: there is no equality here.{why} {}", allowed(field)))
}

fn is(field: &Field, comparison: Comparison, operands: Vec<Scalar>) -> Node {
    Node::Is(Condition { field: field.name.clone(), comparison, operands })
}

/// "Has no value", which is never true of a field that can't be null.
fn null(field: &Field) -> Node {
    if field.nullable { is(field, Comparison::IsNull, Vec::new()) } else { Node::FALSE }
}

fn value(field: &Field, operand: &Json, path: &str) -> Result<Scalar, Refused> {
    match operand {
        Json::Null => Err(no_null(path)),
        Json::List(_) if field.type_ != FieldType::TextList => {
            Err(Refused::filter(format!("{path} takes one value, not a list. For one of several values there is $in.")))
        }
        operand => scalar::read(field, operand).map_err(|takes| {
            Refused::filter(format!(
                "{path} is {}; {} is {} and takes {takes}.",
                operand.kind(),
                quote(&field.name, NAME_LIMIT),
                type_name(field.type_)
            ))
        }),
    }
}

fn no_null(path: &str) -> Refused {
    Refused::filter(format!("{path}: null can't be compared. Use {{\"$null\": true}} for records without a value."))
}

fn any_of(field: &Field, operand: &Json, path: &str) -> Result<Node, Refused> {
    let Json::List(items) = operand else {
        return Err(Refused::filter(format!("{path} takes a list of values, and is {}.", operand.kind())));
    };
    if items.len() > MAX_TERMS {
        return Err(Refused::filter(format!("{path} has more than {MAX_TERMS} values. Split the call.")));
    }
    let operands = items.iter().map(|item| value(field, item, path)).collect::<Result<Vec<_>, _>>()?;
    Ok(if operands.is_empty() { Node::FALSE } else { is(field, Comparison::AnyOf, operands) })
}

/// A comparison with a part of a text. The empty text is part of every text, so it is refused.
fn part(field: &Field, comparison: Comparison, operand: &Json, path: &str) -> Result<Node, Refused> {
    match value(field, operand, path)? {
        Scalar::Text(text) if text.is_empty() => Err(Refused::filter(format!(
            "{path} is empty, and every text holds the empty one. Give at least one character."
        ))),
        operand => Ok(is(field, comparison, vec![operand])),
    }
}

fn flag(operand: &Json, path: &str) -> Result<bool, Refused> {
    match operand {
        Json::Bool(value) => Ok(*value),
        _ => Err(Refused::filter(format!("{path} takes true or false, and is {}.", operand.kind()))),
    }
}
