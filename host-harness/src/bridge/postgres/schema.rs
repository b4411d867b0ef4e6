//! The tables of a database as objects: what the catalog says about them, and what the configuration adds.
//!
//! An object is an ordinary or a partitioned table with a primary key whose fields can be keys. Views, foreign and
//! temporary tables and tables without a key are none. Nor are partitions: row security of the whole would not hold for
//! them. Tables of the configured schema are known by their names, all others as `schema.table`.

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;

use deadpool_postgres::ClientWrapper;
use tokio_postgres::{Error, Row};

use super::column::{Column, Declared};
use super::predicate::Predicate;
use super::reference::{self, Reference};
use super::rules::{self, RuleError};
use super::sql::{get, quoted};
use crate::bridge::FieldType;
use crate::bridge::defaults::LABELS;
use crate::config::Config;

/// What the database holds.
pub(super) struct Schema {
    /// Differs whenever something of this does.
    pub version: String,
    /// Every table, by its name as an object.
    pub tables: BTreeMap<String, Table>,
    /// Every foreign key.
    pub references: Vec<Reference>,
}

/// A table.
#[derive(Clone, Debug)]
pub(super) struct Table {
    /// As an object.
    pub name: String,
    /// As a statement names it: quoted, with `ONLY` where tables that inherit from it are objects of their own.
    pub from: String,
    /// Its name alone, quoted, as it qualifies columns.
    pub alias: String,
    pub oid: u32,
    pub schema_oid: u32,
    /// In the order of their declaration.
    pub columns: Vec<Column>,
    /// Places in `columns`, in the key's declared order.
    pub key: Vec<usize>,
    /// Whether it is an object: it has a key that can be one, and is no system object.
    pub served: bool,
    /// Place of the column that names a record to people.
    pub label: Option<usize>,
    /// Place of the column that changes whenever a record does.
    pub revision: Option<usize>,
    /// Place of the column that a removal sets, in place of deleting.
    pub soft_delete: Option<usize>,
    /// Which records a user can see, beside what row security shows.
    pub visible: Option<Predicate>,
    /// Which records a user may remove, beside what row security allows.
    pub removable: Option<Predicate>,
    /// Whether row security is on; for whom it applies is another matter.
    pub row_security: bool,
    /// Whether a trigger judges the deletion of a row before it happens.
    pub deletes_judged: bool,
    /// The same for its update.
    pub updates_judged: bool,
    /// Whether a rule rewrites removals.
    pub rewritten: bool,
}

impl Table {
    /// Whether a trigger judges the removal of a row before it happens.
    pub fn judged(&self) -> bool {
        if self.soft_delete.is_some() { self.updates_judged } else { self.deletes_judged }
    }

    /// The key's columns, in its declared order.
    pub fn key_columns(&self) -> impl Iterator<Item = &Column> {
        self.key.iter().map(|place| &self.columns[*place])
    }

    /// The columns that are fields: all but the mark of a soft delete, which no visible record has.
    pub fn fields(&self) -> impl Iterator<Item = &Column> {
        let mark = self.soft_delete;
        self.columns.iter().enumerate().filter(move |(place, _)| Some(*place) != mark).map(|(_, column)| column)
    }
}

/// The tables that matter: `c` is the table, `n` its schema.
const TABLES: &str = "pg_catalog.pg_class AS c JOIN pg_catalog.pg_namespace AS n ON n.oid = c.relnamespace
    WHERE c.relkind IN ('r', 'p') AND NOT c.relispartition AND c.relpersistence <> 't'
    AND n.nspname NOT IN ('pg_catalog', 'information_schema') AND n.nspname !~ '^pg_toast'";

/// Objects that people make have this number or a higher one.
const FIRST_OID: u32 = 16_384;

/// A number that changes with every row of the catalog that this module reads, at the cost of looking at each.
pub(super) fn version_statement() -> String {
    let of = |table: &str, condition: &str| {
        format!(
            "SELECT x.xmin, x.ctid, {table}::pg_catalog.regclass AS of FROM pg_catalog.{table} AS x WHERE {condition}"
        )
        .replace(&format!("{table}::"), &format!("'pg_catalog.{table}'::"))
    };
    // The bound lets an index leave out what the server itself brings along, which is most of a small catalog.
    let known = |column: &str| format!("{column} >= {FIRST_OID} AND {column} IN (SELECT oid FROM known)");
    let parts = [
        of("pg_class", &known("x.oid")),
        of("pg_namespace", "x.oid IN (SELECT relnamespace FROM known)"),
        of("pg_attribute", &format!("x.attnum > 0 AND {}", known("x.attrelid"))),
        of("pg_constraint", &known("x.conrelid")),
        of("pg_trigger", &known("x.tgrelid")),
        of("pg_rewrite", &known("x.ev_class")),
        of("pg_enum", "TRUE"),
    ];
    format!(
        "WITH known AS (SELECT c.oid, c.relnamespace FROM {TABLES} AND c.oid >= {FIRST_OID})
         SELECT pg_catalog.count(*) || ':' || coalesce(pg_catalog.sum(pg_catalog.hashtextextended(
             rows.of::pg_catalog.oid || ' ' || rows.ctid || ' ' || rows.xmin, 0)), 0) FROM ({}) AS rows",
        parts.join(" UNION ALL ")
    )
}

/// Reads the whole schema, and applies the configuration to it.
pub(super) async fn load(client: &ClientWrapper, config: &Config) -> Result<Schema, RuleError> {
    let version: String = get(&client.query_one(&version_statement(), &[]).await?, 0)?;
    let mut by_oid = tables(client, &config.postgres.schema).await?;
    for row in client.query(&key_statement(), &[]).await? {
        let (oid, numbers): (u32, Vec<i16>) = (get(&row, 0)?, get(&row, 1)?);
        if let Some((table, places)) = by_oid.get_mut(&oid) {
            table.key = numbers.iter().filter_map(|number| places.get(number).copied()).collect();
        }
    }
    let references = reference::load(client, &by_oid).await?;
    let mut tables = BTreeMap::new();
    let mut twice = Vec::new();
    for (table, _) in by_oid.into_values() {
        if let Some(other) = tables.insert(table.name.clone(), table) {
            twice.push(other.name);
        }
    }
    for name in twice {
        tracing::error!(object = name, "two tables would have this name, so neither is served");
        tables.remove(&name);
    }
    rules::apply(client, config, &mut tables).await?;
    Ok(Schema { version, tables, references })
}

/// Tables by their number, each with the places of its columns by their numbers.
pub(super) type Numbered = BTreeMap<u32, (Table, BTreeMap<i16, usize>)>;

/// Whether a trigger is called before each row of `c` is deleted (8) or updated (16): 1 is for each row, 2 is before.
fn judged(event: u8) -> String {
    let bits = 1 | 2 | event;
    format!(
        "EXISTS (SELECT FROM pg_catalog.pg_trigger AS g WHERE g.tgrelid = c.oid AND NOT g.tgisinternal
             AND g.tgenabled <> 'D' AND g.tgtype & {bits} = {bits})"
    )
}

fn column_statement() -> String {
    let (deletes, updates) = (judged(8), judged(16));
    format!(
        "WITH RECURSIVE base AS (
             SELECT t.oid AS own, t.oid, t.typtype, t.typbasetype FROM pg_catalog.pg_type AS t
             UNION ALL
             SELECT b.own, t.oid, t.typtype, t.typbasetype
             FROM base AS b JOIN pg_catalog.pg_type AS t ON t.oid = b.typbasetype WHERE b.typtype = 'd'
         ), known AS (
             SELECT c.oid, n.oid AS schema_oid, n.nspname, c.relname, c.relkind, c.relrowsecurity, c.relhasrules FROM {TABLES}
         )
         SELECT c.oid, c.schema_oid, c.nspname::pg_catalog.text, c.relname::pg_catalog.text, c.relkind = 'p', c.relrowsecurity,
             {deletes}, {updates},
             c.relhasrules AND EXISTS (SELECT FROM pg_catalog.pg_rewrite AS r WHERE r.ev_class = c.oid AND r.ev_type = '4'),
             a.attnum, a.attname::pg_catalog.text, a.attnotnull, a.attgenerated <> '',
             tn.nspname::pg_catalog.text, t.typname::pg_catalog.text, en.nspname::pg_catalog.text, e.typname::pg_catalog.text,
             CASE WHEN t.typtype = 'e' THEN ARRAY(
                 SELECT l.enumlabel::pg_catalog.text FROM pg_catalog.pg_enum AS l WHERE l.enumtypid = t.oid ORDER BY l.enumsortorder) END,
             pg_catalog.quote_ident(cn.nspname) || '.' || pg_catalog.quote_ident(co.collname), coalesce(co.collisdeterministic, TRUE)
         FROM known AS c
         JOIN pg_catalog.pg_attribute AS a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped
         JOIN base AS b ON b.own = a.atttypid AND b.typtype <> 'd'
         JOIN pg_catalog.pg_type AS t ON t.oid = b.oid
         JOIN pg_catalog.pg_namespace AS tn ON tn.oid = t.typnamespace
         LEFT JOIN pg_catalog.pg_type AS e ON e.oid = t.typelem AND t.typcategory = 'A'
         LEFT JOIN pg_catalog.pg_namespace AS en ON en.oid = e.typnamespace
         LEFT JOIN pg_catalog.pg_collation AS co ON co.oid = a.attcollation
         LEFT JOIN pg_catalog.pg_namespace AS cn ON cn.oid = co.collnamespace
         ORDER BY c.oid, a.attnum"
    )
}

fn key_statement() -> String {
    format!(
        "SELECT i.indrelid, i.indkey::pg_catalog.int2[] FROM pg_catalog.pg_index AS i
         WHERE i.indisprimary AND i.indisvalid AND i.indrelid IN (SELECT c.oid FROM {TABLES})"
    )
}

async fn tables(client: &ClientWrapper, schema: &str) -> Result<Numbered, Error> {
    let mut tables = Numbered::new();
    for row in client.query(&column_statement(), &[]).await? {
        let oid: u32 = get(&row, 0)?;
        let (table, places) = match tables.entry(oid) {
            Entry::Occupied(entry) => entry.into_mut(),
            Entry::Vacant(entry) => entry.insert((table(&row, schema)?, BTreeMap::new())),
        };
        let (name, number): (String, i16) = (get(&row, 3)?, get(&row, 9)?);
        places.insert(number, table.columns.len());
        table.columns.push(declared(&row)?.column(&name));
    }
    for (table, _) in tables.values_mut() {
        let text = |name: &&str| {
            let named = |column: &Column| column.name.eq_ignore_ascii_case(name) && column.type_ == FieldType::Text;
            table.columns.iter().position(named)
        };
        table.label = LABELS.iter().find_map(text);
    }
    Ok(tables)
}

fn table(row: &Row, own: &str) -> Result<Table, Error> {
    let (schema, name): (String, String) = (get(row, 2)?, get(row, 3)?);
    let partitioned: bool = get(row, 4)?;
    let from = format!("{}.{}", quoted(&schema), quoted(&name));
    Ok(Table {
        from: if partitioned { from } else { format!("ONLY {from}") },
        alias: quoted(&name),
        name: if schema == own { name } else { format!("{schema}.{name}") },
        oid: get(row, 0)?,
        schema_oid: get(row, 1)?,
        columns: Vec::new(),
        key: Vec::new(),
        served: false,
        label: None,
        revision: None,
        soft_delete: None,
        visible: None,
        removable: None,
        row_security: get(row, 5)?,
        deletes_judged: get(row, 6)?,
        updates_judged: get(row, 7)?,
        rewritten: get(row, 8)?,
    })
}

fn declared(row: &Row) -> Result<Declared, Error> {
    let entry: (Option<String>, Option<String>) = (get(row, 15)?, get(row, 16)?);
    Ok(Declared {
        name: get(row, 10)?,
        not_null: get(row, 11)?,
        generated: get(row, 12)?,
        type_: (get(row, 13)?, get(row, 14)?),
        entry: entry.0.zip(entry.1),
        labels: get(row, 17)?,
        collation: get(row, 18)?,
        deterministic: get(row, 19)?,
    })
}

/// Which tables are objects is known only once the configuration has said what their columns hold.
pub(super) fn serve(table: &mut Table, config: &Config) {
    let keyed = !table.key.is_empty() && table.key_columns().all(Column::can_be_key);
    table.served = keyed && !config.is_system_object(&table.name);
}
