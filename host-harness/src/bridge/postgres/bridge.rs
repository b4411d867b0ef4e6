//! The bridge for one caller: each function resolves what they may do, or goes by what they were told.

use std::collections::BTreeMap;
use std::pin::pin;
use std::sync::Arc;
use std::time::Instant;

use async_trait::async_trait;

use super::caller::Settings;
use super::connection::{Lease, READ, Time, Trouble};
use super::remove::{Aim, Removals};
use super::rights::Rights;
use super::schema::{Schema, Table};
use super::sql::{Params, Statement, get};
use super::{Shared, caller, dependents, read, refusal, remove, schema};
use crate::bridge::{Bridge, Count, Failure, Page, Principal, Removal, Scalar, Selection, Totals};
use crate::identity::Caller;

/// How often the tables are read again because they changed while they were read.
const LOADS: usize = 3;

/// The bridge to a PostgreSQL database for one caller.
pub struct PostgresBridge {
    shared: Arc<Shared>,
    caller: Caller,
    /// As whom the database knows the caller; or why it may not be asked.
    settings: Result<Settings, Failure>,
    deadline: Option<Instant>,
    known: BTreeMap<String, Known>,
}

/// What is known of an object.
struct Known {
    schema: Arc<Schema>,
    /// What the caller was told that they may do: it chooses what is read.
    rights: Rights,
    removals: Option<Removals>,
}

impl PostgresBridge {
    pub(super) fn new(shared: Arc<Shared>, caller: &Caller) -> PostgresBridge {
        let settings = Settings::new(caller, &shared.config.postgres, shared.server);
        PostgresBridge { shared, caller: caller.clone(), settings, deadline: None, known: BTreeMap::new() }
    }

    /// With a time at which the call that the bridge is for must be over. A statement that still runs then is stopped,
    /// and its function answers [`Failure::DeadlineExceeded`]; a removal that it was part of has not happened. Without
    /// one, a function of the bridge has 30 seconds.
    #[must_use]
    pub fn until(mut self, deadline: Instant) -> PostgresBridge {
        self.deadline = Some(deadline);
        self
    }

    fn time(&self) -> Result<Time, Failure> {
        // Nobody known reaches the database.
        refusal::known(&self.caller)?;
        Time::begin(self.deadline, &self.shared.config.postgres)
    }

    fn settings(&mut self, time: &Time) -> Result<&mut Statement, Failure> {
        Ok(self.settings.as_mut().map_err(|failure| failure.clone())?.within(time))
    }

    /// The object's table as it is now, and what the caller may do with it.
    pub(super) async fn resolve(
        &mut self,
        lease: &mut Lease,
        time: &Time,
        object: &str,
    ) -> Result<Option<(Arc<Schema>, Rights)>, Failure> {
        let mut version = Statement::kept(schema::version_statement(), Params::default());
        let broken = |error| time.judge(&Trouble::Statement(error));
        for _ in 0..LOADS {
            let schema = self.shared.schema();
            let mut rights = match read::object(&schema, object) {
                Ok(table) => Rights::statement(table),
                Err(_) => Statement::kept("SELECT 1".to_owned(), Params::default()),
            };
            let answers = lease.once(READ, self.settings(time)?, Some(&mut version), &mut rights).await;
            let (version, rights) = answers.map_err(|trouble| time.judge(&trouble))?;
            let now: Option<String> = version.rows.first().map(|row| get(row, 0)).transpose().map_err(broken)?;
            if now.as_ref() != Some(&schema.version) {
                self.shared.reload(lease, time).await?;
                continue;
            }
            let (Ok(table), Some(row)) = (read::object(&schema, object), rights.rows.first()) else {
                return Ok(None);
            };
            let rights = Rights::read(row).map_err(broken)?;
            if rights.hide() {
                return Ok(None);
            }
            self.judged(table, &rights)?;
            return Ok(Some((schema, rights)));
        }
        Err(Failure::Faulted("The tables changed during the call.".to_owned()))
    }

    /// Row security that is on must judge a user: a role that it does not apply to would see and remove everything.
    fn judged(&self, table: &Table, rights: &Rights) -> Result<(), Failure> {
        if self.caller.actor().is_none() {
            return Ok(());
        }
        if table.row_security && !rights.secured {
            let reason = "Row security does not apply to the database role that this host uses; its owner can name \
                          another as `role` in [postgres].";
            return Err(refusal::refused("PERMISSION_DENIED", 403, reason));
        }
        if rights.superuser && caller::has_own_role(&self.caller, &self.shared.config.postgres) {
            return Err(refusal::no_role());
        }
        Ok(())
    }

    /// What the caller was told of the object is known now, or, where nobody asked yet, what is true now.
    async fn know(&mut self, lease: &mut Lease, time: &Time, object: &str) -> Result<(), Failure> {
        let Some(known) = self.known.get_mut(object) else {
            let resolved = Box::pin(self.resolve(lease, time, object)).await?;
            let (schema, rights) = resolved.ok_or_else(refusal::not_found)?;
            self.known.insert(object.to_owned(), Known { schema, rights, removals: None });
            return Ok(());
        };
        let schema = self.shared.schema();
        if !Arc::ptr_eq(&known.schema, &schema) {
            known.schema = schema;
            known.removals = None;
        }
        Ok(())
    }

    async fn read_page(
        &mut self,
        time: &Time,
        object: &str,
        selection: &Selection,
        after: Option<&[Scalar]>,
        limit: u32,
    ) -> Result<Page, Failure> {
        let mut lease = self.shared.source.lease(time).await?;
        self.know(&mut lease, time, object).await?;
        let Known { schema, rights, .. } = self.known.get(object).ok_or_else(refusal::not_found)?;
        let schema = schema.clone();
        let table = read::object(&schema, object)?;
        if limit == 0 {
            return Ok(Page { rows: Vec::new(), more: false });
        }
        let mut page = read::page(table, &self.caller, rights, selection, after, limit)?;
        let answer = lease.once(READ, self.settings(time)?, None, &mut page).await;
        let (_, answer) = answer.map_err(|trouble| time.judge(&trouble))?;
        read::rows(table, &answer.rows, limit).map_err(|error| time.judge(&Trouble::Statement(error)))
    }

    async fn read_totals(&mut self, time: &Time, object: &str, selection: &Selection) -> Result<Totals, Failure> {
        let mut lease = self.shared.source.lease(time).await?;
        self.know(&mut lease, time, object).await?;
        let schema = self.known.get(object).ok_or_else(refusal::not_found)?.schema.clone();
        let table = read::object(&schema, object)?;
        let mut count = read::count(table, &self.caller, selection)?;
        let totals = async {
            lease.begin(READ, self.settings(time)?).await.map_err(|trouble| time.judge(&trouble))?;
            let answer = lease.run(&mut count).await.map_err(|trouble| time.judge(&trouble))?;
            let count: Result<i64, _> = answer.rows.first().map_or(Ok(0), |row| get(row, 0));
            let count = count.map_err(|error| time.judge(&Trouble::Statement(error)))?;
            let dependents = match selection {
                Selection::Ids(ids) => dependents::of(&mut lease, time, &schema, table, &self.caller, ids).await?,
                Selection::Every | Selection::Filter(_) => None,
            };
            Ok(Totals { count: Count::Exact(count.unsigned_abs()), dependents })
        }
        .await;
        // What was read is read, and a connection whose transaction does not end is dropped.
        if let Err(trouble) = lease.roll_back().await {
            tracing::debug!(cause = refusal::chain(trouble.error()), "a transaction could not be ended");
        }
        totals
    }

    async fn remove_one(
        &mut self,
        time: &Time,
        object: &str,
        id: &[Scalar],
        revision: Option<&str>,
    ) -> Result<Removal, Failure> {
        let mut lease = self.shared.source.lease(time).await?;
        self.know(&mut lease, time, object).await?;
        let PostgresBridge { caller, settings, known, .. } = self;
        let settings = settings.as_mut().map_err(|failure| failure.clone())?.within(time);
        let Known { schema, rights, removals } = known.get_mut(object).ok_or_else(refusal::not_found)?;
        let table = read::object(schema, object)?;
        let aim = Aim { table, caller, rights, id, revision };
        remove::remove(&mut lease, time, settings, removals, aim).await
    }
}

#[async_trait]
impl Bridge for PostgresBridge {
    async fn resolve_principal(&mut self, object: &str) -> Result<Principal, Failure> {
        let identity = self.caller.identity();
        if self.caller.is_anonymous() {
            return Ok(Principal { identity, access: None, narrowing: None });
        }
        // Whatever they were told before holds no longer, also where this fails.
        self.known.remove(object);
        let time = self.time()?;
        let resolved = time
            .limit(pin!(async {
                let mut lease = self.shared.source.lease(&time).await?;
                self.resolve(&mut lease, &time, object).await
            }))
            .await?;
        let access = match resolved {
            None => None,
            Some((schema, rights)) => {
                let access = read::access(read::object(&schema, object)?, &rights);
                self.known.insert(object.to_owned(), Known { schema, rights, removals: None });
                Some(access)
            }
        };
        Ok(Principal { identity, access, narrowing: None })
    }

    async fn query(
        &mut self,
        object: &str,
        selection: &Selection,
        after: Option<&[Scalar]>,
        limit: u32,
    ) -> Result<Page, Failure> {
        let time = self.time()?;
        time.limit(pin!(self.read_page(&time, object, selection, after, limit))).await
    }

    async fn aggregate(&mut self, object: &str, selection: &Selection) -> Result<Totals, Failure> {
        let time = self.time()?;
        time.limit(pin!(self.read_totals(&time, object, selection))).await
    }

    async fn remove(&mut self, object: &str, id: &[Scalar], revision: Option<&str>) -> Result<Removal, Failure> {
        let time = self.time()?;
        time.limit(pin!(self.remove_one(&time, object, id, revision))).await
    }
}
