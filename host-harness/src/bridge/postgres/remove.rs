//! Removing one record: a transaction of its own, judged by the rules, counted by the engine.

use super::connection::{Answer, Lease, READ, Time, Trouble, WRITE};
use super::refusal;
use super::rights::Rights;
use super::rules::marking;
use super::schema::Table;
use super::sql::{Params, Statement, all, get};
use super::{caller, key, read};
use crate::bridge::{Failure, Removal, Scalar};
use crate::identity::Caller;

/// How often a transaction is tried that another one made fail: a deadlock's victim, or a serialisation failure.
const ATTEMPTS: usize = 3;

/// Whose record is removed from which table, at which revision.
#[derive(Clone, Copy)]
pub(super) struct Aim<'a> {
    pub table: &'a Table,
    pub caller: &'a Caller,
    pub rights: &'a Rights,
    pub id: &'a [Scalar],
    pub revision: Option<&'a str>,
}

/// The statements that remove a record. Their text is the same for all records of a table that one caller removes, with
/// a revision or without; the parameters of the record itself come first.
pub(super) struct Removals {
    find: Option<Statement>,
    pub delete: Statement,
    with_revision: bool,
}

/// Removes the record with this id, if the caller sees it, it has the revision, and the rules let it go.
///
/// `removals`: those of the record before, if it was of the same table, caller and rights.
pub(super) async fn remove(
    lease: &mut Lease,
    time: &Time,
    settings: &mut Statement,
    removals: &mut Option<Removals>,
    aim: Aim<'_>,
) -> Result<Removal, Failure> {
    let Some(Removals { find, delete, .. }) = aim.at(removals) else {
        // An id that no record can have.
        return Ok(Removal::Absent);
    };
    let mut attempt = 1;
    let (before, answer) = loop {
        match lease.once(WRITE, settings, find.as_mut(), delete).await {
            Ok(answers) => break answers,
            Err(trouble) if refusal::passes(&trouble) && attempt < ATTEMPTS => attempt += 1,
            Err(trouble) => return Err(time.judge(&trouble)),
        }
    };
    let broken = |error| time.judge(&Trouble::Statement(error));
    match count(delete, &answer).map_err(broken)? {
        0 => {
            let was_there = !before.rows.is_empty();
            Box::pin(kept(lease, time, settings, &aim, was_there)).await
        }
        1 => Ok(Removal::Removed),
        // Only a rule's rewriting comes here, and it has happened: anything else fails inside the statement.
        _ => Err(refusal::ambiguous()),
    }
}

fn count(delete: &Statement, answer: &Answer) -> Result<u64, tokio_postgres::Error> {
    if delete.counted {
        return Ok(answer.count);
    }
    let gone: i64 = answer.rows.first().map_or(Ok(0), |row| get(row, 0))?;
    Ok(gone.unsigned_abs())
}

/// Why the engine removed none, as the caller sees it now.
async fn kept(
    lease: &mut Lease,
    time: &Time,
    settings: &mut Statement,
    aim: &Aim<'_>,
    was_there: bool,
) -> Result<Removal, Failure> {
    let Some(mut why) = aim.why() else { return Ok(Removal::Absent) };
    let (_, answer) = lease.once(READ, settings, None, &mut why).await.map_err(|trouble| time.judge(&trouble))?;
    let broken = |error| time.judge(&Trouble::Statement(error));
    let Some(row) = answer.rows.first() else {
        return Ok(if was_there { Removal::Removed } else { Removal::Absent });
    };
    let (same, removable, secured): (bool, bool, bool) =
        (get(row, 0).map_err(broken)?, get(row, 1).map_err(broken)?, get(row, 2).map_err(broken)?);
    let silent = aim.table.judged() || aim.table.rewritten;
    match (same, removable, secured && !silent) {
        // Where a trigger or a rule is at work, it may have changed the record in place of removing it.
        (false, ..) if !was_there => Ok(Removal::Changed),
        (_, false, _) | (_, _, true) => Err(refusal::denied()),
        _ => Ok(Removal::Kept),
    }
}

/// What is a record's own among the parameters: its id, and the revision it must have; and their names.
struct Record {
    key: Vec<String>,
    revision: Option<String>,
    params: Params,
}

impl Aim<'_> {
    /// The statements for this record: those that there are, or new ones.
    pub fn at<'r>(&self, removals: &'r mut Option<Removals>) -> Option<&'r mut Removals> {
        let record = self.record()?;
        removals.take_if(|removals| removals.with_revision != self.revision.is_some());
        let removals = removals.get_or_insert_with(|| self.statements(&record));
        removals.delete.params.lead(&record.params);
        if let Some(find) = &mut removals.find {
            find.params.lead(&record.params);
        }
        Some(removals)
    }

    fn statements(&self, record: &Record) -> Removals {
        // A trigger may remove the record itself and let the engine count none, so it is looked for in the same flight.
        let find = (self.table.judged() || self.table.rewritten).then(|| self.find(record));
        Removals { find, delete: self.delete(record), with_revision: self.revision.is_some() }
    }

    /// Binds what is the record's own; `None` for an id that no record can have.
    fn record(&self) -> Option<Record> {
        let mut params = Params::default();
        let key = key::bind(self.table, self.id, &mut params)?;
        let revision = self.revision.map(|revision| params.text(revision));
        Some(Record { key, revision, params })
    }

    /// The record, by its key, if the caller sees it.
    fn seen(&self, record: &Record, params: &mut Params) -> String {
        all([key::is(self.table, &record.key), read::seen(self.table, self.caller, params)])
    }

    fn removable(&self, params: &mut Params) -> String {
        match (&self.table.removable, self.caller.actor()) {
            (Some(predicate), Some(actor)) => predicate.bind(actor, params),
            _ => "TRUE".to_owned(),
        }
    }

    fn unchanged(&self, record: &Record) -> String {
        match (&record.revision, read::revision(self.table, self.rights)) {
            (Some(revision), Some(own)) => format!("({own} = {revision})"),
            // It can't be told any more: the right to read it was there when the record was read.
            (Some(_), None) => "FALSE".to_owned(),
            (None, _) => "TRUE".to_owned(),
        }
    }

    fn condition(&self, record: &Record, params: &mut Params) -> String {
        all([self.seen(record, params), self.removable(params), self.unchanged(record)])
    }

    /// Looks whether the removal would find the record.
    fn find(&self, record: &Record) -> Statement {
        let mut params = record.params.clone();
        let condition = self.condition(record, &mut params);
        Statement::kept(format!("SELECT 1 FROM {} WHERE {condition}", self.table.from), params)
    }

    /// Removes it, and gives how many went. More than one is an error of the statement, so that it undoes itself.
    fn delete(&self, record: &Record) -> Statement {
        let mut params = record.params.clone();
        let condition = all([self.condition(record, &mut params), caller::settled()]);
        let from = &self.table.from;
        let delete = match self.table.soft_delete {
            None => format!("DELETE FROM {from} WHERE {condition}"),
            Some(place) => {
                let mark = &self.table.columns[place];
                let name = super::sql::quoted(&mark.name);
                format!("UPDATE {from} SET {name} = {} WHERE {condition}", marking(mark).0)
            }
        };
        if self.table.rewritten && self.table.soft_delete.is_none() {
            // The engine rewrites no statement inside another.
            return Statement { counted: true, ..Statement::kept(delete, params) };
        }
        let text = format!(
            "WITH gone AS ({delete} RETURNING 1 AS one) SELECT pg_catalog.count(*), (SELECT one FROM gone) FROM gone"
        );
        Statement::kept(text, params)
    }

    /// Asks what is true of a record that was not removed.
    fn why(&self) -> Option<Statement> {
        let record = self.record()?;
        let mut params = record.params.clone();
        let (same, removable) = (self.unchanged(&record), self.removable(&mut params));
        let seen = self.seen(&record, &mut params);
        let text = format!(
            "SELECT ({same}) IS TRUE, ({removable}) IS TRUE, pg_catalog.row_security_active({}::pg_catalog.oid) FROM {} WHERE {seen}",
            self.table.oid, self.table.from
        );
        Some(Statement::once(text, params))
    }
}
