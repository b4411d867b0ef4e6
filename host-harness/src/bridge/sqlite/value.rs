//! Stored values as the bridge's values, and whether they fit their field's type.

use rusqlite::types::ValueRef;

use super::instant;
use crate::bridge::{FieldType, Scalar};

/// The bytes of a uuid that is stored as such.
const UUID_BYTES: usize = 16;
/// The characters of a uuid, hyphens included.
const UUID_CHARACTERS: usize = 36;

/// The value of a key's field; `None` where it does not fit, so that its record is invisible.
pub(super) fn read(type_: FieldType, value: ValueRef) -> Option<Scalar> {
    let text = || value.as_str().ok();
    match (type_, value) {
        (FieldType::Boolean, ValueRef::Integer(bit @ 0..=1)) => Some(Scalar::Boolean(bit == 1)),
        (FieldType::Integer | FieldType::Decimal, ValueRef::Integer(value)) => Some(Scalar::Integer(value)),
        (FieldType::Decimal, ValueRef::Real(value)) => real(value),
        (FieldType::Text | FieldType::Date, ValueRef::Text(_)) => Some(Scalar::Text(text()?.to_owned())),
        (FieldType::Uuid, ValueRef::Text(bytes)) if is_uuid(bytes) => Some(Scalar::Text(text()?.to_ascii_lowercase())),
        (FieldType::Uuid, ValueRef::Blob(bytes)) => uuid_text(bytes).map(Scalar::Text),
        (FieldType::Instant, _) => instant::of(value).map(Scalar::Instant),
        _ => None,
    }
}

/// A stored binary number as the decimal that it stands for: the shortest that names it.
fn real(value: f64) -> Option<Scalar> {
    // Powers of two are exact in binary, so this is the border itself.
    const BEYOND_64_BITS: f64 = 9_223_372_036_854_775_808.0;
    if !value.is_finite() {
        None
    } else if value.fract() == 0.0 && (-BEYOND_64_BITS..BEYOND_64_BITS).contains(&value) {
        Some(Scalar::Integer(value as i64))
    } else {
        Some(Scalar::Decimal(value.to_string()))
    }
}

/// A value for people: text and numbers, cut to `limit` characters.
pub(super) fn label(value: ValueRef, limit: usize) -> Option<String> {
    let text = match value {
        ValueRef::Text(bytes) => {
            // Four bytes are the longest character, so no more of them are needed.
            let cut = &bytes[..bytes.len().min(limit * 4)];
            String::from_utf8_lossy(cut).chars().take(limit).collect()
        }
        ValueRef::Integer(value) => value.to_string(),
        ValueRef::Real(value) => value.to_string(),
        ValueRef::Null | ValueRef::Blob(_) => return None,
    };
    Some(text)
}

/// Whether a text is a uuid with hyphens, in one case throughout: two texts at most mean the same uuid, and both can
/// be looked up.
pub(super) fn is_uuid(bytes: &[u8]) -> bool {
    let hyphen = |place: usize| matches!(place, 8 | 13 | 18 | 23);
    let formed = |letters: fn(&u8) -> bool| {
        bytes.iter().enumerate().all(|(place, byte)| match hyphen(place) {
            true => *byte == b'-',
            false => byte.is_ascii_digit() || letters(byte),
        })
    };
    bytes.len() == UUID_CHARACTERS && (formed(|b| matches!(b, b'a'..=b'f')) || formed(|b| matches!(b, b'A'..=b'F')))
}

/// The bytes of a uuid in lower case.
pub(super) fn uuid_bytes(text: &str) -> Option<Vec<u8>> {
    if !is_uuid(text.as_bytes()) {
        return None;
    }
    let digits: Vec<u32> = text.chars().filter_map(|c| c.to_digit(16)).collect();
    digits.chunks(2).map(|pair| u8::try_from(pair[0] * 16 + pair[1]).ok()).collect()
}

fn uuid_text(bytes: &[u8]) -> Option<String> {
    if bytes.len() != UUID_BYTES {
        return None;
    }
    let mut text = String::with_capacity(UUID_CHARACTERS);
    for (place, byte) in bytes.iter().enumerate() {
        if matches!(place, 4 | 6 | 8 | 10) {
            text.push('-');
        }
        text.push_str(&format!("{byte:02x}"));
    }
    Some(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    const UUID: &str = "0b6dd3e4-3f1c-4d3e-9a51-6f0b8f4a2c11";

    #[test]
    fn a_uuid_has_one_case_and_its_hyphens() {
        assert!(is_uuid(UUID.as_bytes()) && is_uuid(UUID.to_uppercase().as_bytes()));
        for wrong in [
            "",
            "0B6dd3e4-3f1c-4d3e-9a51-6f0b8f4a2c11",
            "0b6dd3e43f1c4d3e9a516f0b8f4a2c11",
            "{0b6dd3e4-3f1c-4d3e-9a51-6f0b8f4a2c1}",
        ] {
            assert!(!is_uuid(wrong.as_bytes()), "{wrong}");
        }
        assert_eq!(uuid_text(&uuid_bytes(UUID).unwrap()).as_deref(), Some(UUID));
    }

    #[test]
    fn keys_leave_exactly_or_not_at_all() {
        assert_eq!(read(FieldType::Integer, ValueRef::Integer(i64::MAX)), Some(Scalar::Integer(i64::MAX)));
        assert_eq!(read(FieldType::Integer, ValueRef::Real(1.0)), None);
        assert_eq!(read(FieldType::Decimal, ValueRef::Real(0.1)), Some(Scalar::Decimal("0.1".to_owned())));
        assert_eq!(read(FieldType::Decimal, ValueRef::Real(5.0)), Some(Scalar::Integer(5)));
        assert_eq!(read(FieldType::Decimal, ValueRef::Real(f64::INFINITY)), None);
        assert_eq!(read(FieldType::Boolean, ValueRef::Integer(2)), None);
        assert_eq!(read(FieldType::Text, ValueRef::Text(b"\xff")), None);
        assert_eq!(
            read(FieldType::Uuid, ValueRef::Text(UUID.to_uppercase().as_bytes())),
            Some(Scalar::Text(UUID.to_owned()))
        );
    }

    #[test]
    fn labels_are_cut_between_characters() {
        assert_eq!(label(ValueRef::Text("äöü".as_bytes()), 2).as_deref(), Some("äö"));
        assert_eq!(label(ValueRef::Integer(7), 2).as_deref(), Some("7"));
        assert_eq!(label(ValueRef::Null, 2), None);
    }
}
