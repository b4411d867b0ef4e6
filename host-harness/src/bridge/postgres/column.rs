//! What a column holds, from its type in the catalog.

use super::sql::quoted;
use crate::bridge::{Field, FieldType};

/// A column that a filter can name.
#[derive(Clone, Debug)]
pub(super) struct Column {
    pub name: String,
    /// Qualified with its table's name, quoted.
    pub sql: String,
    pub type_: FieldType,
    pub nullable: bool,
    pub stored: Stored,
    /// The type that an operand is cast to, quoted, so that an index is found.
    pub cast: String,
    /// Whether values may be equal to the engine that are not the same bytes.
    pub loose: bool,
    /// The collation, quoted, where the type has one.
    pub collation: Option<String>,
    /// Whether a default or the database itself computes it, so that nobody can set it.
    pub generated: bool,
}

/// What matters of a column's type beyond what it holds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Stored {
    /// Nothing.
    Plain,
    /// One of these labels, in the engine's order.
    Labels(Vec<String>),
    /// A point in time with a zone.
    Zoned,
    /// One without, which is UTC.
    Zoneless,
    /// A number of single precision.
    Single,
    /// JSON, as text or parsed.
    Json,
}

/// A row of the catalog.
pub(super) struct Declared {
    pub name: String,
    pub not_null: bool,
    pub generated: bool,
    /// The schema and the name of the type, behind every domain.
    pub type_: (String, String),
    /// The same of an array's entries.
    pub entry: Option<(String, String)>,
    /// The labels of an enumeration.
    pub labels: Option<Vec<String>>,
    pub collation: Option<String>,
    pub deterministic: bool,
}

impl Declared {
    pub fn column(self, table: &str) -> Column {
        let (schema, name) = (self.type_.0.as_str(), self.type_.1.as_str());
        let own = schema == "pg_catalog";
        let entry = self.entry.as_ref().map(|(schema, name)| (schema.as_str(), name.as_str()));
        let (type_, stored) = match name {
            _ if self.labels.is_some() => (FieldType::Text, Stored::Labels(self.labels.unwrap_or_default())),
            "bool" if own => (FieldType::Boolean, Stored::Plain),
            "int2" | "int4" | "int8" if own => (FieldType::Integer, Stored::Plain),
            "numeric" if own => (FieldType::Decimal, Stored::Plain),
            "float4" if own => (FieldType::Float, Stored::Single),
            "float8" if own => (FieldType::Float, Stored::Plain),
            "text" | "varchar" | "bpchar" | "name" if own => (FieldType::Text, Stored::Plain),
            // An extension's type, in whichever schema it was installed.
            "citext" => (FieldType::Text, Stored::Plain),
            "uuid" if own => (FieldType::Uuid, Stored::Plain),
            "date" if own => (FieldType::Date, Stored::Plain),
            "timestamptz" if own => (FieldType::Instant, Stored::Zoned),
            "timestamp" if own => (FieldType::Instant, Stored::Zoneless),
            "json" | "jsonb" if own => (FieldType::Opaque, Stored::Json),
            _ if matches!(entry, Some(("pg_catalog", "text" | "varchar"))) => (FieldType::TextList, Stored::Plain),
            _ => (FieldType::Opaque, Stored::Plain),
        };
        let cast = match type_ {
            // An operand may be wider than the column.
            FieldType::Integer => "pg_catalog.int8".to_owned(),
            _ => format!("{}.{}", quoted(schema), quoted(name)),
        };
        Column {
            sql: format!("{}.{}", quoted(table), quoted(&self.name)),
            nullable: !self.not_null,
            loose: matches!(name, "bpchar" | "name" | "citext") || !self.deterministic,
            collation: self.collation,
            generated: self.generated,
            name: self.name,
            type_,
            stored,
            cast,
        }
    }
}

impl Column {
    pub fn field(&self) -> Field {
        Field { name: self.name.clone(), type_: self.type_, nullable: self.nullable }
    }

    /// Whether records can be told apart by values of this type.
    pub fn can_be_key(&self) -> bool {
        !matches!(self.type_, FieldType::Float | FieldType::TextList | FieldType::Opaque)
    }

    /// Whether a configured type can be read from what is stored.
    pub fn can_be(&self, type_: FieldType) -> bool {
        let list = type_ == FieldType::TextList && self.stored == Stored::Json;
        list || type_ == self.type_ || type_ == FieldType::Opaque
    }

    /// The value as text, whatever its type.
    pub fn text(&self) -> String {
        format!("CAST({} AS pg_catalog.text)", self.sql)
    }

    /// The value as text that compares by its bytes.
    pub fn bytes(&self) -> String {
        format!("(CAST({} AS pg_catalog.text) COLLATE \"C\")", self.sql)
    }

    /// Whether a stored value fits the field's type; `None` where every value does. Never true of null.
    pub fn fits(&self) -> Option<String> {
        let sql = &self.sql;
        Some(match (self.type_, &self.stored) {
            // The number that is none comes after infinity.
            (FieldType::Decimal | FieldType::Float, _) => {
                let of = match (self.type_, &self.stored) {
                    (FieldType::Decimal, _) => "numeric",
                    (_, Stored::Single) => "float4",
                    _ => "float8",
                };
                format!("({sql} > '-Infinity'::pg_catalog.{of} AND {sql} < 'Infinity'::pg_catalog.{of})")
            }
            (FieldType::Date, _) => {
                format!("({sql} BETWEEN '0001-01-01'::pg_catalog.date AND '9999-12-31'::pg_catalog.date)")
            }
            (FieldType::Instant, stored) => {
                let of = if *stored == Stored::Zoned { "timestamptz" } else { "timestamp" };
                format!(
                    "({sql} >= '0001-01-01 00:00:00+00'::pg_catalog.{of} AND {sql} < '10000-01-01 00:00:00+00'::pg_catalog.{of})"
                )
            }
            (FieldType::TextList, Stored::Json) => {
                let json = format!("CAST({sql} AS pg_catalog.jsonb)");
                // Nothing else says in which order the two are looked at.
                format!(
                    "(CASE WHEN jsonb_typeof({json}) = 'array' THEN NOT EXISTS \
                     (SELECT FROM jsonb_array_elements({json}) AS entry WHERE jsonb_typeof(entry) <> 'string') ELSE FALSE END)"
                )
            }
            (FieldType::TextList, _) => format!(
                "(CASE WHEN {sql} IS NULL OR coalesce(array_ndims({sql}), 1) <> 1 THEN FALSE \
                 ELSE array_position({sql}, NULL) IS NULL END)"
            ),
            _ => return None,
        })
    }

    /// Whether there is no value.
    pub fn is_null(&self) -> String {
        match self.type_ {
            // A composite value of nulls `IS NULL`, and is a value.
            FieldType::Opaque => format!("({} IS NOT DISTINCT FROM NULL)", self.sql),
            _ => format!("({} IS NULL)", self.sql),
        }
    }
}
