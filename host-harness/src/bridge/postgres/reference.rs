//! Foreign keys: which records depend on which.

use deadpool_postgres::ClientWrapper;
use tokio_postgres::Error;

use super::schema::Numbered;
use super::sql::get;
use crate::bridge::Effect;

/// A foreign key. Columns are places in their tables.
pub(super) struct Reference {
    /// The object that has it.
    pub child: String,
    /// Its columns.
    pub from: Vec<usize>,
    /// The object that it points at.
    pub parent: String,
    /// The columns that it points at.
    pub to: Vec<usize>,
    /// What a removal of the parent does to the child.
    pub effect: Effect,
    /// `RESTRICT`: it stands in the way even where the child goes in the same step.
    pub at_once: bool,
}

/// The foreign keys between these tables.
pub(super) async fn load(client: &ClientWrapper, tables: &Numbered) -> Result<Vec<Reference>, Error> {
    // A key of a partitioned table stands once for each partition, too; those have a parent.
    let rows = client
        .query(
            "SELECT k.conrelid, k.conkey, k.confrelid, k.confkey, k.confdeltype::pg_catalog.text
             FROM pg_catalog.pg_constraint AS k WHERE k.contype = 'f' AND k.conparentid = 0 ORDER BY k.oid",
            &[],
        )
        .await?;
    let mut references = Vec::new();
    for row in rows {
        let (child, parent): (u32, u32) = (get(&row, 0)?, get(&row, 2)?);
        let (Some((child, of_child)), Some((parent, of_parent))) = (tables.get(&child), tables.get(&parent)) else {
            continue;
        };
        let (from, to): (Vec<i16>, Vec<i16>) = (get(&row, 1)?, get(&row, 3)?);
        let action: String = get(&row, 4)?;
        references.push(Reference {
            child: child.name.clone(),
            from: from.iter().filter_map(|number| of_child.get(number).copied()).collect(),
            parent: parent.name.clone(),
            to: to.iter().filter_map(|number| of_parent.get(number).copied()).collect(),
            effect: match action.as_str() {
                "c" => Effect::Cascade,
                "n" | "d" => Effect::Detach,
                _ => Effect::Restrict,
            },
            at_once: action == "r",
        });
    }
    Ok(references)
}
