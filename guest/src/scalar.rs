//! Values: from JSON by the type of a field, exactly or not at all, and back as text.

use crate::bridge::{Field, FieldType, Scalar};
use crate::instant;
use crate::json::Json;
use crate::prelude::*;

/// Digits that a number may have, exponent written out: no column of any engine holds more, and an
/// exponent of a million would be a million digits.
const MAX_DIGITS: usize = 1000;

/// Reads a value that is to be compared with a field. The error says what the field takes.
pub fn read(field: &Field, json: &Json) -> Result<Scalar, &'static str> {
    match field.type_ {
        FieldType::Boolean => match json {
            Json::Bool(value) => Ok(Scalar::Boolean(*value)),
            _ => Err("true or false"),
        },
        FieldType::Integer => match json {
            Json::Number(digits) => integer(digits),
            Json::Text(digits) => integer(digits).filter(|value| value.to_string() == *digits),
            _ => None,
        }
        .map(Scalar::Integer)
        .ok_or("an integer of 64 bits, as 7 or \"7\""),
        FieldType::Decimal => match json {
            Json::Number(digits) => decimal(digits),
            Json::Text(digits) if !digits.contains(['e', 'E']) && is_number(digits) => decimal(digits),
            _ => None,
        }
        .ok_or("a number, as 12.5 or \"12.5\""),
        FieldType::Float => match json {
            Json::Number(digits) => decimal(digits),
            _ => None,
        }
        .ok_or("a number"),
        FieldType::Text => text(json).map(Scalar::Text).ok_or("a string without a NUL character"),
        FieldType::TextList => text(json)
            .filter(|text| !text.is_empty())
            .map(Scalar::Text)
            .ok_or("a string that is not empty and has no NUL character"),
        FieldType::Uuid => text(json)
            .filter(|text| is_uuid(text))
            .map(|text| Scalar::Text(text.to_ascii_lowercase()))
            .ok_or("a uuid, as \"0b6dd3e4-3f1c-4d3e-9a51-6f0b8f4a2c11\""),
        FieldType::Date => text(json)
            .filter(|text| instant::is_date(text))
            .map(Scalar::Text)
            .ok_or("a day that exists, as \"2026-03-10\""),
        FieldType::Instant => {
            text(json).and_then(|text| instant::read(&text)).map(Scalar::Instant).ok_or(instant::FORM)
        }
        FieldType::Opaque => Err("nothing: it can only be tested with $null and $exists"),
    }
}

/// A value as text: the form in which ids leave, and in which they are hashed.
pub fn show(scalar: &Scalar) -> String {
    match scalar {
        Scalar::Null => String::new(),
        Scalar::Boolean(value) => (if *value { "true" } else { "false" }).to_owned(),
        Scalar::Integer(value) => value.to_string(),
        Scalar::Decimal(text) | Scalar::Text(text) => text.clone(),
        Scalar::Instant(instant) => instant::show(instant),
    }
}

/// The one form of a value: equal values are equal in it, however the host writes its decimals.
pub fn normal(scalar: &Scalar) -> Scalar {
    match scalar {
        Scalar::Decimal(digits) => decimal(digits).unwrap_or_else(|| scalar.clone()),
        other => other.clone(),
    }
}

/// Whether a value that the host sent is one of this type.
pub fn fits(kind: FieldType, scalar: &Scalar) -> bool {
    match (kind, scalar) {
        (FieldType::Boolean, Scalar::Boolean(_)) | (FieldType::Integer, Scalar::Integer(_)) => true,
        (FieldType::Decimal, Scalar::Integer(_)) => true,
        (FieldType::Decimal, Scalar::Decimal(digits)) => decimal(digits).is_some(),
        (FieldType::Text, Scalar::Text(_)) => true,
        (FieldType::Uuid, Scalar::Text(text)) => is_uuid(text) && !text.contains(|c: char| c.is_ascii_uppercase()),
        (FieldType::Date, Scalar::Text(text)) => instant::is_date(text),
        (FieldType::Instant, Scalar::Instant(instant)) => instant.nanoseconds < 1_000_000_000,
        _ => false,
    }
}

fn text(json: &Json) -> Option<String> {
    match json {
        Json::Text(text) if !text.contains('\0') => Some(text.clone()),
        _ => None,
    }
}

/// `7`, not `7.0`, `7e0` or what does not fit 64 bits.
fn integer(digits: &str) -> Option<i64> {
    if digits.starts_with('+') { None } else { digits.parse().ok() }
}

/// The exact value of a JSON number, written out without an exponent and without zeros that say
/// nothing: an integer where it is one of 64 bits.
fn decimal(number: &str) -> Option<Scalar> {
    if !is_number(number) {
        return None;
    }
    let (negative, unsigned) = match number.strip_prefix('-') {
        Some(rest) => (true, rest),
        None => (false, number),
    };
    let (mantissa, exponent) = match unsigned.split_once(['e', 'E']) {
        Some((mantissa, exponent)) => (mantissa, exponent.parse::<i32>().ok()?),
        None => (unsigned, 0),
    };
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let exponent =
        usize::try_from(exponent.unsigned_abs()).ok().filter(|e| *e <= MAX_DIGITS).map(|e| (e, exponent < 0))?;
    if whole.len() + fraction.len() + exponent.0 > MAX_DIGITS {
        return None;
    }
    // The point moves by the exponent.
    let digits = format!("{whole}{fraction}");
    let (digits, point) = match exponent {
        (by, false) if by > fraction.len() => {
            (format!("{digits}{}", "0".repeat(by - fraction.len())), whole.len() + by)
        }
        (by, false) => (digits, whole.len() + by),
        (by, true) if by > whole.len() => (format!("{}{digits}", "0".repeat(by - whole.len())), 0),
        (by, true) => (digits, whole.len() - by),
    };
    let whole = digits[..point].trim_start_matches('0');
    let fraction = digits[point..].trim_end_matches('0');
    let whole = if whole.is_empty() { "0" } else { whole };
    let zero = whole == "0" && fraction.is_empty();
    let sign = if negative && !zero { "-" } else { "" };
    if fraction.is_empty() {
        let text = format!("{sign}{whole}");
        return Some(text.parse().map(Scalar::Integer).unwrap_or(Scalar::Decimal(text)));
    }
    Some(Scalar::Decimal(format!("{sign}{whole}.{fraction}")))
}

/// The grammar of a JSON number.
fn is_number(text: &str) -> bool {
    let unsigned = text.strip_prefix('-').unwrap_or(text);
    let (mantissa, exponent) = match unsigned.split_once(['e', 'E']) {
        Some((mantissa, exponent)) => (mantissa, Some(exponent)),
        None => (unsigned, None),
    };
    let (whole, fraction) = match mantissa.split_once('.') {
        Some((whole, fraction)) => (whole, Some(fraction)),
        None => (mantissa, None),
    };
    let all_digits = |text: &str| !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit());
    all_digits(whole)
        && (whole == "0" || !whole.starts_with('0'))
        && fraction.is_none_or(all_digits)
        && exponent.is_none_or(|e| all_digits(e.strip_prefix(['+', '-']).unwrap_or(e)))
}

fn is_uuid(text: &str) -> bool {
    text.len() == 36
        && text.bytes().enumerate().all(|(at, b)| match at {
            8 | 13 | 18 | 23 => b == b'-',
            _ => b.is_ascii_hexdigit(),
        })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn as_decimal(text: &str) -> Option<String> {
        decimal(text).map(|scalar| show(&scalar))
    }

    #[test]
    fn numbers_are_exact_and_have_one_form() {
        for (written, one) in [
            ("7", "7"),
            ("7.0", "7"),
            ("7e0", "7"),
            ("-0.0", "0"),
            ("1.50", "1.5"),
            ("12e-1", "1.2"),
            ("0.5e1", "5"),
            ("1e3", "1000"),
            ("1.25e1", "12.5"),
            ("5e-3", "0.005"),
            ("-12.5E+1", "-125"),
            ("9223372036854775808", "9223372036854775808"),
            ("0.10", "0.1"),
            ("100", "100"),
        ] {
            assert_eq!(as_decimal(written).as_deref(), Some(one), "{written}");
        }
        assert_eq!(decimal("7.0"), Some(Scalar::Integer(7)));
        for no in ["1e999999999", "1e2000", "01", ".5", "5.", "1e", "+1", "", "-", "NaN", "١"] {
            assert_eq!(as_decimal(no), None, "{no}");
        }
    }

    #[test]
    fn integers_are_never_rounded() {
        let field = Field { name: "id".into(), type_: FieldType::Integer, nullable: false };
        let read = |json| read(&field, &json).ok();
        assert_eq!(read(Json::Number("9007199254740993".into())), Some(Scalar::Integer(9_007_199_254_740_993)));
        assert_eq!(read(Json::text("-7")), Some(Scalar::Integer(-7)));
        for no in ["7.0", "7e0", "9223372036854775808", "9.007199254740993e15"] {
            assert_eq!(read(Json::Number(no.into())), None, "{no}");
        }
        for no in ["007", "+7", " 7", "7 ", "7.0", "7e0", "-0", "", "٧"] {
            assert_eq!(read(Json::text(no)), None, "{no:?}");
        }
    }
}
