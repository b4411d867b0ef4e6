//! What a column holds, from the type that it was declared with.
//!
//! SQLite lets any column hold any value; the declared type says what is meant, and its affinity how SQLite converts
//! what is stored in it or compared with it.

use crate::bridge::FieldType;

/// How SQLite converts the operands of a comparison with a column.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Affinity {
    /// Numbers become texts.
    Text,
    /// Texts that look like numbers become numbers.
    Numeric,
    /// Nothing is converted.
    None,
}

/// The affinity of a declared type, by SQLite's own rules.
pub(super) fn affinity(declared: &str) -> Affinity {
    let declared = declared.to_ascii_uppercase();
    let has = |part: &str| declared.contains(part);
    if has("INT") {
        Affinity::Numeric
    } else if has("CHAR") || has("CLOB") || has("TEXT") {
        Affinity::Text
    } else if has("BLOB") || declared.is_empty() || declared == "ANY" {
        Affinity::None
    } else {
        Affinity::Numeric
    }
}

/// The field type of a declared type; what says nothing that is known is opaque.
pub(super) fn field_type(declared: &str) -> FieldType {
    let declared = declared.to_ascii_uppercase();
    let mut words = declared.split(|c: char| !c.is_ascii_alphanumeric()).filter(|word| !word.is_empty());
    words.find_map(word_type).unwrap_or(FieldType::Opaque)
}

fn word_type(word: &str) -> Option<FieldType> {
    let type_ = match word {
        "BOOL" | "BOOLEAN" => FieldType::Boolean,
        "UUID" | "GUID" => FieldType::Uuid,
        "DATE" => FieldType::Date,
        "DATETIME" | "TIMESTAMP" | "TIMESTAMPTZ" => FieldType::Instant,
        "REAL" | "FLOAT" | "DOUBLE" => FieldType::Float,
        "DECIMAL" | "NUMERIC" => FieldType::Decimal,
        "BLOB" | "JSON" | "JSONB" => FieldType::Opaque,
        "INTEGER" | "INT2" | "INT4" | "INT8" => FieldType::Integer,
        // INTERVAL and POINT have INT in them and hold none.
        "POINT" => return None,
        _ if word.ends_with("INT") => FieldType::Integer,
        _ if word.contains("CHAR") || word.contains("CLOB") || word.contains("TEXT") => FieldType::Text,
        _ => return None,
    };
    Some(type_)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn declared_types_say_what_is_meant() {
        for (declared, expected) in [
            ("INTEGER", FieldType::Integer),
            ("unsigned big int", FieldType::Integer),
            ("BIGINT(20) UNSIGNED", FieldType::Integer),
            ("tinyint(1)", FieldType::Integer),
            ("INT8", FieldType::Integer),
            ("Boolean", FieldType::Boolean),
            ("VARCHAR(255)", FieldType::Text),
            ("NATIVE CHARACTER(70)", FieldType::Text),
            ("TEXT", FieldType::Text),
            ("CLOB", FieldType::Text),
            ("UUID", FieldType::Uuid),
            ("DATE", FieldType::Date),
            ("DATETIME", FieldType::Instant),
            ("TIMESTAMP WITH TIME ZONE", FieldType::Instant),
            ("timestamp(6)", FieldType::Instant),
            ("DOUBLE PRECISION", FieldType::Float),
            ("DECIMAL(10,5)", FieldType::Decimal),
            ("NUMERIC", FieldType::Decimal),
            ("BLOB", FieldType::Opaque),
            ("JSON", FieldType::Opaque),
            ("", FieldType::Opaque),
            ("POINT", FieldType::Opaque),
            ("INTERVAL", FieldType::Opaque),
            ("STRING", FieldType::Opaque),
            ("TIME", FieldType::Opaque),
        ] {
            assert_eq!(field_type(declared), expected, "{declared}");
        }
    }

    #[test]
    fn affinities_are_those_of_sqlite() {
        for (declared, expected) in [
            ("CHARINT", Affinity::Numeric),
            ("VARCHAR", Affinity::Text),
            ("", Affinity::None),
            ("BLOB", Affinity::None),
            ("STRING", Affinity::Numeric),
            ("DATE", Affinity::Numeric),
            ("REAL", Affinity::Numeric),
        ] {
            assert_eq!(affinity(declared), expected, "{declared}");
        }
    }
}
