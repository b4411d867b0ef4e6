//! The tables of a database as objects: what SQLite says about them, and what the configuration adds.
//!
//! An object is an ordinary table with a declared primary key whose fields can be keys. Views, virtual and shadow
//! tables and tables without a key are none; such tables still count on the way to what depends on a record.

use std::collections::BTreeMap;

use rusqlite::{Connection, Row};

use super::declared::{self, Affinity};
use super::reference::{self, Reference};
use super::rules::{self, RuleError};
use super::sql::SCHEMA;
use crate::bridge::defaults::LABELS;
use crate::bridge::{Field, FieldType};
use crate::config::Config;

/// The names under which SQLite has the row id, where no column of a table takes them.
const ROW_ID: [&str; 3] = ["rowid", "_rowid_", "oid"];

/// What the database holds.
pub(super) struct Schema {
    /// SQLite's own number, which grows with every change of the schema.
    pub version: i64,
    /// Every ordinary table, by its name.
    pub tables: BTreeMap<String, Table>,
    /// Every foreign key.
    pub references: Vec<Reference>,
}

/// An ordinary table.
pub(super) struct Table {
    pub name: String,
    /// In the order of their declaration; hidden ones are not among them.
    pub columns: Vec<Column>,
    /// Places in `columns`, in the key's declared order.
    pub key: Vec<usize>,
    /// What tells one row from another, whether or not there is a key.
    pub identity: Option<Identity>,
    /// Whether it is an object: it has a key that can be one, and is no system object.
    pub served: bool,
    /// Place of the column that names a record to people.
    pub label: Option<usize>,
    /// Place of the column that changes whenever a record does.
    pub revision: Option<usize>,
    /// What a removal sets, in place of deleting.
    pub soft_delete: Option<SoftDelete>,
    /// Which records a user can see, in SQL.
    pub visible: Option<String>,
    /// Which records a user may remove, in SQL.
    pub removable: Option<String>,
    /// Whether texts are stored in UTF-8, so that SQLite orders them by those bytes.
    pub utf8: bool,
}

/// A column that a filter can name.
pub(super) struct Column {
    pub name: String,
    pub type_: FieldType,
    pub nullable: bool,
    pub affinity: Affinity,
    /// The collation, where it is not the comparison of bytes.
    pub collation: Option<String>,
    /// The collation of the primary key's index, where it is another than the column's.
    pub key_collation: Option<String>,
    /// Another name for the row id: always an integer.
    pub is_row_id: bool,
    /// Computed from others, so no part of what a record is.
    pub generated: bool,
}

/// A column that says that a record is gone.
#[derive(Clone, Copy)]
pub(super) struct SoftDelete {
    /// Its place in `columns`.
    pub place: usize,
    /// The SQL that it is set to.
    pub mark: &'static str,
    /// Whether it is a boolean, so that false says as much as no value.
    pub flag: bool,
}

/// What tells one row from another.
pub(super) enum Identity {
    /// The row id, under this name.
    RowId(String),
    /// The primary key of a table without row ids.
    Key,
}

impl Table {
    pub fn column(&self, name: &str) -> Option<&Column> {
        self.columns.iter().find(|column| column.name == name)
    }

    /// The column that a filter names.
    pub fn field(&self, name: &str) -> Option<&Column> {
        self.fields().find(|column| column.name == name)
    }

    /// The columns that are fields: all but the mark of a soft delete, which no visible record has.
    pub fn fields(&self) -> impl Iterator<Item = &Column> {
        let mark = self.soft_delete.map(|soft| soft.place);
        self.columns.iter().enumerate().filter(move |(place, _)| Some(*place) != mark).map(|(_, column)| column)
    }

    /// The key's columns, in its declared order.
    pub fn key_columns(&self) -> impl Iterator<Item = &Column> {
        self.key.iter().map(|place| &self.columns[*place])
    }
}

impl Column {
    pub fn field(&self) -> Field {
        Field { name: self.name.clone(), type_: self.type_, nullable: self.nullable }
    }

    /// Whether a uuid is stored as its 16 bytes rather than as text.
    pub fn holds_uuid_bytes(&self) -> bool {
        self.type_ == FieldType::Uuid && self.affinity == Affinity::None
    }

    /// Whether records can be told apart by values of this type.
    fn can_be_key(&self) -> bool {
        !matches!(self.type_, FieldType::Float | FieldType::TextList | FieldType::Opaque)
    }
}

/// The number that changes with the schema.
pub(super) fn version(connection: &Connection) -> rusqlite::Result<i64> {
    connection.prepare_cached("PRAGMA main.schema_version")?.query_row([], |row| row.get(0))
}

/// Reads the whole schema, and applies the configuration to it.
pub(super) fn load(connection: &Connection, config: &Config) -> Result<Schema, RuleError> {
    let version = version(connection)?;
    let encoding: String = connection.query_row("PRAGMA main.encoding", [], |row| row.get(0))?;
    let mut tables = BTreeMap::new();
    let mut references = Vec::new();
    let mut statement = connection.prepare(
        "SELECT name, wr FROM pragma_table_list WHERE schema = ?1 AND type = 'table' AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\'",
    )?;
    let named = statement.query_map([SCHEMA], |row| Ok((row.get::<_, String>(0)?, row.get::<_, bool>(1)?)))?;
    for entry in named {
        let (name, without_row_id) = entry?;
        let table = table(connection, name, without_row_id, encoding == "UTF-8")?;
        references.extend(reference::of(connection, &table.name)?);
        tables.insert(table.name.clone(), table);
    }
    reference::resolve(&tables, &mut references);
    rules::apply(connection, config, &mut tables)?;
    Ok(Schema { version, tables, references })
}

fn table(connection: &Connection, name: String, without_row_id: bool, utf8: bool) -> rusqlite::Result<Table> {
    let mut taken = Vec::new();
    let mut columns = Vec::new();
    let mut key = Vec::new();
    let mut statement = connection
        .prepare_cached("SELECT name, type, \"notnull\", pk, hidden FROM pragma_table_xinfo(?1, ?2) ORDER BY cid")?;
    let mut rows = statement.query([name.as_str(), SCHEMA])?;
    while let Some(row) = rows.next()? {
        let column = Declared::read(row)?;
        taken.push(column.name.clone());
        if column.kind == HIDDEN {
            continue;
        }
        if column.key_place > 0 {
            key.push((column.key_place, columns.len()));
        }
        columns.push(column.column(connection, &name)?);
    }
    key.sort_unstable();
    let key: Vec<usize> = key.into_iter().map(|(_, place)| place).collect();
    let collations = key_collations(connection, &name)?;
    if let ([only], false, None) = (key.as_slice(), without_row_id, &collations) {
        // A key of a rowid table without an index of its own is the row id itself.
        columns[*only].is_row_id = true;
    }
    for (place, collation) in key.iter().zip(collations.into_iter().flatten()) {
        let column = &mut columns[*place];
        let own = column.collation.as_deref().unwrap_or(BINARY);
        column.key_collation = Some(collation).filter(|collation| !collation.eq_ignore_ascii_case(own));
    }
    let identity = if without_row_id {
        Some(Identity::Key)
    } else {
        let alias = columns.iter().find(|column: &&Column| column.is_row_id).map(|column| column.name.clone());
        let free = || ROW_ID.into_iter().find(|name| !taken.iter().any(|column| column.eq_ignore_ascii_case(name)));
        alias.or_else(|| free().map(str::to_owned)).map(Identity::RowId)
    };
    let label = LABELS.iter().find_map(|label| {
        columns.iter().position(|column| column.name.eq_ignore_ascii_case(label) && column.type_ == FieldType::Text)
    });
    Ok(Table {
        name,
        columns,
        key,
        identity,
        served: false,
        label,
        revision: None,
        soft_delete: None,
        visible: None,
        removable: None,
        utf8,
    })
}

/// Which tables are objects is known only once the configuration has said what their columns hold.
pub(super) fn serve(table: &mut Table, config: &Config) {
    let keyed = !table.key.is_empty() && table.key_columns().all(Column::can_be_key);
    table.served = keyed && !config.is_system_object(&table.name);
}

const BINARY: &str = "BINARY";
/// `hidden` of a virtual table's hidden column.
const HIDDEN: i64 = 1;

/// A row of `table_xinfo`.
struct Declared {
    name: String,
    declared: String,
    not_null: bool,
    /// From 1 within the key; 0 outside it.
    key_place: i64,
    kind: i64,
}

impl Declared {
    fn read(row: &Row) -> rusqlite::Result<Declared> {
        Ok(Declared {
            name: row.get(0)?,
            declared: row.get(1)?,
            not_null: row.get(2)?,
            key_place: row.get(3)?,
            kind: row.get(4)?,
        })
    }

    fn column(self, connection: &Connection, table: &str) -> rusqlite::Result<Column> {
        let (_, collation, ..) = connection.column_metadata(Some(SCHEMA), table, self.name.as_str())?;
        let collation = collation.map(|name| name.to_string_lossy().into_owned());
        let in_key = self.key_place > 0;
        Ok(Column {
            type_: declared::field_type(&self.declared),
            affinity: declared::affinity(&self.declared),
            // SQLite lets the key of an old table be null; such a record is invisible, so nobody meets one.
            nullable: !self.not_null && !in_key,
            collation: collation.filter(|name| !name.eq_ignore_ascii_case(BINARY)),
            key_collation: None,
            is_row_id: false,
            generated: self.kind != 0,
            name: self.name,
        })
    }
}

/// The collations of the primary key's index, in the key's order; `None` where the key has no index of its own.
fn key_collations(connection: &Connection, table: &str) -> rusqlite::Result<Option<Vec<String>>> {
    let mut statement = connection.prepare_cached("SELECT name FROM pragma_index_list(?1, ?2) WHERE origin = 'pk'")?;
    let Some(index) = statement.query_map([table, SCHEMA], |row| row.get::<_, String>(0))?.next().transpose()? else {
        return Ok(None);
    };
    let mut statement =
        connection.prepare_cached("SELECT coll FROM pragma_index_xinfo(?1, ?2) WHERE \"key\" = 1 ORDER BY seqno")?;
    let collations = statement.query_map([index.as_str(), SCHEMA], |row| row.get(0))?;
    collations.collect::<rusqlite::Result<Vec<String>>>().map(Some)
}
