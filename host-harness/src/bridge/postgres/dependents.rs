//! What a removal would reach, along the foreign keys of the schema.
//!
//! All is read as the caller: what row security hides from them is neither counted nor followed. A predicate of the
//! configuration hides a record from the count alone.

use std::collections::{BTreeMap, HashSet, VecDeque};

use super::connection::{Lease, Time};
use super::read;
use super::reference::Reference;
use super::schema::{Schema, Table};
use super::sql::{Params, Statement, get};
use crate::bridge::reach::{BATCH, MAX_ROWS, Reach};
use crate::bridge::{Dependents, Effect, Failure, RecordId, Selection};
use crate::identity::Caller;

/// What tells a row from every other of its table while a transaction lasts: where it lies.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Place {
    /// The table's own number: a partition's, where there are some.
    table: String,
    row: String,
}

/// What the caller's role can read of a table.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Readable {
    All,
    Parts,
    Nothing,
}

/// What depends on the records with these ids, sorted; `None` where it can't be told. A transaction is open.
pub(super) async fn of(
    lease: &mut Lease,
    time: &Time,
    schema: &Schema,
    table: &Table,
    caller: &Caller,
    ids: &[RecordId],
) -> Result<Option<Vec<Dependents>>, Failure> {
    if table.soft_delete.is_some() {
        // The record stays where it is, so nothing that points at it is touched.
        return Ok(Some(Vec::new()));
    }
    let readable = readable(lease, time, schema).await?;
    let mut search = Search { lease, time, schema, caller, readable, left: MAX_ROWS };
    search.run(table, ids).await
}

struct Search<'a> {
    lease: &'a mut Lease,
    time: &'a Time,
    schema: &'a Schema,
    caller: &'a Caller,
    readable: BTreeMap<u32, Readable>,
    /// Rows that may still be looked at.
    left: usize,
}

impl Search<'_> {
    async fn run(&mut self, table: &Table, ids: &[RecordId]) -> Result<Option<Vec<Dependents>>, Failure> {
        let schema = self.schema;
        // Where a row lies is read with the right to the whole table alone, so nothing is asked without it.
        if self.reads(table) != Readable::All {
            return Ok(None);
        }
        let mut params = Params::default();
        let condition = read::selected(table, self.caller, &Selection::Ids(ids.to_vec()), &mut params)?;
        let mut reach = Reach::new();
        let Some(roots) = self.rows(table, condition, params).await? else {
            return Ok(None);
        };
        let roots: Vec<Place> = roots.into_iter().map(|(row, _)| row).collect();
        let own: HashSet<Place> = roots.iter().cloned().collect();
        let mut waiting = VecDeque::from([(table, roots)]);
        while let Some((parent, rows)) = waiting.pop_front() {
            for reference in schema.references.iter().filter(|reference| reference.parent == parent.name) {
                let Some(child) = schema.tables.get(&reference.child) else { continue };
                match self.reads(child) {
                    Readable::All => {}
                    Readable::Parts => return Ok(None),
                    // The caller sees none of them.
                    Readable::Nothing => continue,
                }
                let mut going = Vec::new();
                for batch in rows.chunks(BATCH) {
                    let mut params = Params::default();
                    let condition = points_at(reference, child, parent, batch, &mut params);
                    let Some(found) = self.rows(child, condition, params).await? else {
                        return Ok(None);
                    };
                    let own = (child.name == table.name).then_some(&own);
                    going.extend(reach.note(&child.name, reference.effect, reference.at_once, found, own));
                }
                if reference.effect == Effect::Cascade && !going.is_empty() {
                    waiting.push_back((child, going));
                }
            }
        }
        Ok(Some(reach.counts()))
    }

    fn reads(&self, table: &Table) -> Readable {
        self.readable.get(&table.oid).copied().unwrap_or(Readable::Nothing)
    }

    /// The rows of a table for which a condition holds, and whether the caller sees them; `None` beyond the bound.
    async fn rows(
        &mut self,
        table: &Table,
        condition: String,
        mut params: Params,
    ) -> Result<Option<Vec<(Place, bool)>>, Failure> {
        let seen = match table.served {
            true => read::seen(table, self.caller, &mut params),
            false => "FALSE".to_owned(),
        };
        let alias = &table.alias;
        let text = format!(
            "SELECT CAST({alias}.tableoid AS pg_catalog.text), CAST({alias}.ctid AS pg_catalog.text), ({seen}) IS TRUE
             FROM {} WHERE {condition} LIMIT {}",
            table.from,
            self.left + 1
        );
        let answer =
            self.lease.run(&mut Statement::once(text, params)).await.map_err(|trouble| self.time.judge(&trouble))?;
        if answer.rows.len() > self.left {
            return Ok(None);
        }
        self.left -= answer.rows.len();
        let found = answer.rows.iter().map(|row| Ok((Place { table: get(row, 0)?, row: get(row, 1)? }, get(row, 2)?)));
        let found: Result<Vec<(Place, bool)>, tokio_postgres::Error> = found.collect();
        found.map(Some).map_err(|error| self.time.judge(&super::connection::Trouble::Statement(error)))
    }
}

/// What the caller's role can read of each table.
async fn readable(lease: &mut Lease, time: &Time, schema: &Schema) -> Result<BTreeMap<u32, Readable>, Failure> {
    let mut params = Params::default();
    let oids = params.texts(schema.tables.values().map(|table| table.oid.to_string()).collect());
    let text = format!(
        "SELECT c.oid, pg_catalog.has_schema_privilege(c.relnamespace, 'USAGE') AND pg_catalog.has_table_privilege(c.oid, 'SELECT'),
             pg_catalog.has_schema_privilege(c.relnamespace, 'USAGE') AND pg_catalog.has_any_column_privilege(c.oid, 'SELECT')
         FROM pg_catalog.pg_class AS c WHERE c.oid = ANY(CAST({oids} AS pg_catalog.oid[]))"
    );
    let answer = lease.run(&mut Statement::once(text, params)).await.map_err(|trouble| time.judge(&trouble))?;
    let rows = answer.rows.iter().map(|row| {
        let readable = match (get(row, 1)?, get(row, 2)?) {
            (true, _) => Readable::All,
            (false, true) => Readable::Parts,
            (false, false) => Readable::Nothing,
        };
        Ok((get(row, 0)?, readable))
    });
    let rows: Result<BTreeMap<u32, Readable>, tokio_postgres::Error> = rows.collect();
    rows.map_err(|error| time.judge(&super::connection::Trouble::Statement(error)))
}

/// The child's rows that point at one of these rows of the parent.
fn points_at(reference: &Reference, child: &Table, parent: &Table, rows: &[Place], params: &mut Params) -> String {
    let alias = &parent.alias;
    let places = params.texts(rows.iter().map(|place| place.row.clone()).collect());
    let both = params.texts(rows.iter().map(|place| format!("{}{}", place.table, place.row)).collect());
    // The first finds the rows, the second tells those of one partition from another's.
    let chosen = format!(
        "{alias}.ctid = ANY(CAST({places} AS pg_catalog.tid[])) AND \
         CAST({alias}.tableoid AS pg_catalog.text) || CAST({alias}.ctid AS pg_catalog.text) = ANY({both})"
    );
    let to: Vec<&str> = reference.to.iter().map(|place| parent.columns[*place].sql.as_str()).collect();
    let from: Vec<String> = reference
        .from
        .iter()
        .zip(&reference.to)
        .map(|(from, to)| {
            let (own, other) = (&child.columns[*from], &parent.columns[*to]);
            // The engine compares by the parent's collation.
            match &other.collation {
                Some(collation) if own.collation != other.collation && own.collation.is_some() => {
                    format!("{} COLLATE {collation}", own.sql)
                }
                _ => own.sql.clone(),
            }
        })
        .collect();
    format!("(({}) IN (SELECT {} FROM {} WHERE {chosen}))", from.join(", "), to.join(", "), parent.from)
}
