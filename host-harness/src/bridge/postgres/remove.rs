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

/// What a removal is about.
pub(super) struct Aim<'a> {
    pub table: &'a Table,
    pub caller: &'a Caller,
    pub rights: &'a Rights,
    pub id: &'a [Scalar],
    pub revision: Option<&'a str>,
}

/// Removes the record with this id, if the caller sees it, it has the revision, and the rules let it go.
pub(super) async fn remove(
    lease: &mut Lease,
    time: &Time,
    settings: &Statement,
    aim: &Aim<'_>,
) -> Result<Removal, Failure> {
    let Some(delete) = aim.delete() else {
        // An id that no record can have.
        return Ok(Removal::Absent);
    };
    // A trigger may remove the record itself and let the engine count none, so it is looked for in the same flight.
    let find = (aim.table.judged() || aim.table.rewritten).then(|| aim.find()).flatten();
    let mut attempt = 1;
    let (before, answer) = loop {
        match lease.once(WRITE, settings, find.as_ref(), &delete).await {
            Ok(answers) => break answers,
            Err(trouble) if refusal::passes(&trouble) && attempt < ATTEMPTS => attempt += 1,
            Err(trouble) => return Err(time.judge(&trouble)),
        }
    };
    let broken = |error| time.judge(&Trouble::Statement(error));
    match count(&delete, &answer).map_err(broken)? {
        0 => {
            let was_there = !before.rows.is_empty();
            kept(lease, time, settings, aim, was_there).await
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
    settings: &Statement,
    aim: &Aim<'_>,
    was_there: bool,
) -> Result<Removal, Failure> {
    let Some(why) = aim.why() else { return Ok(Removal::Absent) };
    let (_, answer) = lease.once(READ, settings, None, &why).await.map_err(|trouble| time.judge(&trouble))?;
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

impl Aim<'_> {
    /// The record, by its key, if the caller sees it.
    fn seen(&self, params: &mut Params) -> Option<String> {
        let key = key::is(self.table, self.id, params)?;
        Some(all([key, read::seen(self.table, self.caller, params)]))
    }

    fn removable(&self, params: &mut Params) -> String {
        match (&self.table.removable, self.caller.actor()) {
            (Some(predicate), Some(actor)) => predicate.bind(actor, params),
            _ => "TRUE".to_owned(),
        }
    }

    fn unchanged(&self, params: &mut Params) -> String {
        match (self.revision, read::revision(self.table, self.rights)) {
            (Some(revision), Some(own)) => format!("({own} = {})", params.text(revision)),
            // It can't be told any more: the right to read it was there when the record was read.
            (Some(_), None) => "FALSE".to_owned(),
            (None, _) => "TRUE".to_owned(),
        }
    }

    fn condition(&self, params: &mut Params) -> Option<String> {
        Some(all([self.seen(params)?, self.removable(params), self.unchanged(params)]))
    }

    /// Looks whether the removal would find the record.
    fn find(&self) -> Option<Statement> {
        let mut params = Params::default();
        let condition = self.condition(&mut params)?;
        Some(Statement::kept(format!("SELECT 1 FROM {} WHERE {condition}", self.table.from), params))
    }

    /// Removes it, and gives how many went. More than one is an error of the statement, so that it undoes itself.
    pub fn delete(&self) -> Option<Statement> {
        let mut params = Params::default();
        let condition = all([self.condition(&mut params)?, caller::settled()]);
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
            return Some(Statement { counted: true, ..Statement::kept(delete, params) });
        }
        let text = format!(
            "WITH gone AS ({delete} RETURNING 1 AS one) SELECT pg_catalog.count(*), (SELECT one FROM gone) FROM gone"
        );
        Some(Statement::kept(text, params))
    }

    /// Asks what is true of a record that was not removed.
    fn why(&self) -> Option<Statement> {
        let mut params = Params::default();
        let (same, removable) = (self.unchanged(&mut params), self.removable(&mut params));
        let seen = self.seen(&mut params)?;
        let text = format!(
            "SELECT ({same}) IS TRUE, ({removable}) IS TRUE, pg_catalog.row_security_active({}::pg_catalog.oid) FROM {} WHERE {seen}",
            self.table.oid, self.table.from
        );
        Some(Statement::once(text, params))
    }
}
