//! Foreign keys: which records depend on which.

use std::collections::BTreeMap;

use rusqlite::Connection;

use super::schema::Table;
use super::sql::SCHEMA;
use crate::bridge::Effect;

/// A foreign key.
pub(super) struct Reference {
    /// The table that has it.
    pub child: String,
    /// Its columns.
    pub from: Vec<String>,
    /// The table that it points at.
    pub parent: String,
    /// The columns that it points at.
    pub to: Vec<String>,
    /// What a removal of the parent does to the child.
    pub effect: Effect,
    /// `RESTRICT`: it stands in the way even where the child goes in the same step.
    pub at_once: bool,
}

/// The foreign keys of a table, as they are declared.
pub(super) fn of(connection: &Connection, child: &str) -> rusqlite::Result<Vec<Reference>> {
    let mut statement = connection.prepare_cached(
        "SELECT id, \"table\", \"from\", \"to\", on_delete FROM pragma_foreign_key_list(?1, ?2) ORDER BY id, seq",
    )?;
    let mut rows = statement.query([child, SCHEMA])?;
    let mut found: Vec<(i64, Reference)> = Vec::new();
    while let Some(row) = rows.next()? {
        let id: i64 = row.get(0)?;
        if found.last().is_none_or(|(last, _)| *last != id) {
            let action: String = row.get(4)?;
            let effect = match action.as_str() {
                "CASCADE" => Effect::Cascade,
                "SET NULL" | "SET DEFAULT" => Effect::Detach,
                _ => Effect::Restrict,
            };
            let reference = Reference {
                child: child.to_owned(),
                from: Vec::new(),
                parent: row.get(1)?,
                to: Vec::new(),
                effect,
                at_once: action == "RESTRICT",
            };
            found.push((id, reference));
        }
        if let Some((_, reference)) = found.last_mut() {
            reference.from.push(row.get(2)?);
            reference.to.extend(row.get::<_, Option<String>>(3)?);
        }
    }
    Ok(found.into_iter().map(|(_, reference)| reference).collect())
}

/// Foreign keys name tables and columns in any case, and the columns may be left out for the primary key.
pub(super) fn resolve(tables: &BTreeMap<String, Table>, references: &mut Vec<Reference>) {
    references.retain_mut(|reference| {
        let parent = tables.values().find(|table| table.name.eq_ignore_ascii_case(&reference.parent));
        let (Some(parent), Some(child)) = (parent, tables.get(&reference.child)) else {
            return false;
        };
        reference.parent.clone_from(&parent.name);
        if reference.to.is_empty() {
            reference.to = parent.key_columns().map(|column| column.name.clone()).collect();
        }
        spell(parent, &mut reference.to)
            && spell(child, &mut reference.from)
            && reference.from.len() == reference.to.len()
    });
}

/// Gives every name the table's own spelling; false where the table has no such column.
fn spell(table: &Table, names: &mut [String]) -> bool {
    names.iter_mut().all(|name| match table.columns.iter().find(|column| column.name.eq_ignore_ascii_case(name)) {
        Some(column) => {
            name.clone_from(&column.name);
            true
        }
        None => false,
    })
}
