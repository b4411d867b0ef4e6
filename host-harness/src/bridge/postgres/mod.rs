//! PostgreSQL behind the bridge.
//!
//! The rules live in the database: row security, triggers, foreign keys and privileges judge every record, since each
//! transaction runs as the caller's role and with the caller's settings. It works on a database that it has never seen:
//! tables, keys, types and foreign keys are read from the catalog, again whenever that changes.
//!
//! The database is one caller's or another's only through a [`PostgresBridge`]; it holds who is calling, and every
//! function resolves anew what they may do.
//!
//! # What is where
//! *schema*, *column*, *reference*, *rules*, *predicate*: the tables as objects. *filter*, *compare*, *key*, *sql*: what
//! is selected, as SQL in which every value is bound. *caller*, *rights*: who asks, and what their role may do. *read*,
//! *dependents*, *remove*: the functions of the bridge. *refusal*: what an error means. *connection*: who holds what, and
//! the transactions; *flights* tests that one that does not begin changes nothing.
//!
//! # What PostgreSQL can't do, and so refuses
//! A comparison with a `decimal` operand of more digits than the engine takes: `FILTER_NOT_EXACT` 400.

mod caller;
pub mod cluster;
mod column;
mod compare;
mod connection;
mod dependents;
mod filter;
#[cfg(test)]
mod flights;
mod key;
mod predicate;
mod read;
mod reference;
mod refusal;
mod remove;
mod rights;
mod rules;
mod schema;
mod sql;

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Instant;

use async_trait::async_trait;

pub(crate) use self::connection::tls;
use self::connection::{Lease, READ, Source, Time, Trouble};
use self::rights::Rights;
use self::rules::RuleError;
use self::schema::{Schema, Table};
use self::sql::{Params, Statement, get};
use super::{Bridge, Count, Failure, Page, Principal, Removal, Scalar, Selection, Totals};
use crate::config::{Address, Config};
use crate::identity::Caller;

/// The oldest release that is served: before it, `numeric` had no infinity.
const OLDEST: i32 = 140_000;

/// How often the tables are read again because they changed while they were read.
const LOADS: usize = 3;

/// A PostgreSQL database, and what the configuration says about it. Cheap to clone: clones share the connections.
///
/// Its connections live on the tokio runtime that it was opened on.
#[derive(Clone)]
pub struct Postgres {
    shared: Arc<Shared>,
}

struct Shared {
    source: Source,
    config: Config,
    schema: Mutex<Arc<Schema>>,
    environment: Option<String>,
    /// Whether the server can look for its client while a statement runs; not every system can.
    checks: bool,
}

/// Why a database can't be served.
#[derive(Debug, thiserror::Error)]
pub enum OpenError {
    /// The server can't be reached, or does not let this program in.
    #[error("the database can't be reached: {0}")]
    Unreachable(String),
    /// The certificates that the server is judged by can't be used.
    #[error("[postgres] {0}")]
    Tls(String),
    /// The release is too old.
    #[error("PostgreSQL {0} is too old: 14 and later are served")]
    Old(String),
    /// Text would not be compared by the bytes of UTF-8.
    #[error("the database's encoding is {0}; only UTF8 is served")]
    Encoding(String),
    /// The configuration names something that the database does not have.
    #[error("{0}")]
    Config(String),
    /// The engine failed while it was asked for its tables.
    #[error("the tables can't be read: {0}")]
    Tables(String),
}

impl Postgres {
    /// Opens the database at an address.
    ///
    /// # Errors
    /// It can't be reached or served, or the configuration does not fit its tables.
    pub async fn open(address: &Address, config: &Config) -> Result<Postgres, OpenError> {
        let parameters = address.parameters();
        let tls = connection::tls(&parameters, config.postgres.tls_root.as_deref()).map_err(OpenError::Tls)?;
        let size = usize::try_from(config.postgres.pool_size).unwrap_or(1);
        let source = Source::new(parameters, tls, size).map_err(|error| OpenError::Unreachable(error.to_string()))?;
        let lease = source.first().await.map_err(|error| OpenError::Unreachable(refusal::chain(&error)))?;
        let environment = look(&lease).await?;
        let (name, value) = caller::CHECK;
        let check = format!("BEGIN; SET LOCAL {name} = {value}; ROLLBACK");
        let checks = lease.client().batch_execute(&check).await.is_ok();
        if !checks {
            lease
                .client()
                .batch_execute("ROLLBACK")
                .await
                .map_err(|error| OpenError::Tables(refusal::chain(&error)))?;
        }
        let schema = schema::load(lease.client(), config).await.map_err(|error| match error {
            RuleError::Config(sentence) => OpenError::Config(sentence),
            RuleError::Engine(error) => OpenError::Tables(refusal::chain(&error)),
        })?;
        let schema = Mutex::new(Arc::new(schema));
        drop(lease);
        Ok(Postgres { shared: Arc::new(Shared { source, config: config.clone(), schema, environment, checks }) })
    }

    /// The bridge for one caller.
    pub fn bridge(&self, caller: &Caller) -> PostgresBridge {
        PostgresBridge { shared: self.shared.clone(), caller: caller.clone(), deadline: None, rights: BTreeMap::new() }
    }

    /// The names of all objects, sorted: tables with a key, system objects not among them.
    pub fn objects(&self) -> Vec<String> {
        let schema = self.shared.schema();
        schema.tables.values().filter(|table| table.served).map(|table| table.name.clone()).collect()
    }

    /// What the database says of itself: its setting `deletegate.environment` when it was opened.
    pub fn environment(&self) -> Option<&str> {
        self.shared.environment.as_deref()
    }
}

/// Looks at the server; gives its environment.
async fn look(lease: &Lease) -> Result<Option<String>, OpenError> {
    let tables = |error: tokio_postgres::Error| OpenError::Tables(refusal::chain(&error));
    let row = lease
        .client()
        .query_one(
            "SELECT current_setting('server_version_num')::pg_catalog.int4, current_setting('server_version'),
                 current_setting('server_encoding'), nullif(current_setting('deletegate.environment', TRUE), '')",
            &[],
        )
        .await
        .map_err(tables)?;
    let version: i32 = get(&row, 0).map_err(tables)?;
    if version < OLDEST {
        return Err(OpenError::Old(get(&row, 1).map_err(tables)?));
    }
    let encoding: String = get(&row, 2).map_err(tables)?;
    if encoding != "UTF8" {
        return Err(OpenError::Encoding(encoding));
    }
    get(&row, 3).map_err(tables)
}

impl Shared {
    fn schema(&self) -> Arc<Schema> {
        self.schema.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Reads the tables again.
    async fn reload(&self, lease: &Lease, time: &Time) -> Result<(), Failure> {
        let schema = schema::load(lease.client(), &self.config).await.map_err(|error| match error {
            RuleError::Engine(error) => time.judge(&Trouble::Statement(error)),
            RuleError::Config(sentence) => {
                tracing::error!(cause = sentence, "the tables have changed, and the configuration no longer fits");
                Failure::Faulted("The tables have changed, and the configuration no longer fits them.".to_owned())
            }
        })?;
        *self.schema.lock().unwrap_or_else(PoisonError::into_inner) = Arc::new(schema);
        Ok(())
    }
}

/// The bridge to a PostgreSQL database for one caller.
pub struct PostgresBridge {
    shared: Arc<Shared>,
    caller: Caller,
    deadline: Option<Instant>,
    /// What the caller was told that they may do, by object: it chooses what is read.
    rights: BTreeMap<String, Rights>,
}

impl PostgresBridge {
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

    fn settings(&self, time: &Time) -> Result<Statement, Failure> {
        caller::settings(&self.caller, &self.shared.config.postgres, time, self.shared.checks)
    }

    /// The object's table as it is now, and what the caller may do with it.
    async fn resolve(
        &self,
        lease: &mut Lease,
        time: &Time,
        object: &str,
    ) -> Result<Option<(Arc<Schema>, Rights)>, Failure> {
        let settings = self.settings(time)?;
        let version = Statement::kept(schema::version_statement(), Params::default());
        let broken = |error| time.judge(&Trouble::Statement(error));
        for _ in 0..LOADS {
            let schema = self.shared.schema();
            let rights = match read::object(&schema, object) {
                Ok(table) => Rights::statement(table),
                Err(_) => Statement::kept("SELECT 1".to_owned(), Params::default()),
            };
            let answers = lease.once(READ, &settings, Some(&version), &rights).await;
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
            return Err(refusal::refused("PERMISSION_DENIED", 403, "The database has no role for this caller."));
        }
        Ok(())
    }

    /// What the caller was told, or, where nobody asked yet, what is true now.
    async fn known(&mut self, lease: &mut Lease, time: &Time, object: &str) -> Result<(Arc<Schema>, Rights), Failure> {
        if let Some(rights) = self.rights.get(object) {
            return Ok((self.shared.schema(), rights.clone()));
        }
        let (schema, rights) = self.resolve(lease, time, object).await?.ok_or_else(refusal::not_found)?;
        self.rights.insert(object.to_owned(), rights.clone());
        Ok((schema, rights))
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
        let (schema, rights) = self.known(&mut lease, time, object).await?;
        let table = read::object(&schema, object)?;
        if limit == 0 {
            return Ok(Page { rows: Vec::new(), more: false });
        }
        let page = read::page(table, &self.caller, &rights, selection, after, limit)?;
        let answer = lease.once(READ, &self.settings(time)?, None, &page).await;
        let (_, answer) = answer.map_err(|trouble| time.judge(&trouble))?;
        read::rows(table, &answer.rows, limit).map_err(|error| time.judge(&Trouble::Statement(error)))
    }

    async fn read_totals(&mut self, time: &Time, object: &str, selection: &Selection) -> Result<Totals, Failure> {
        let mut lease = self.shared.source.lease(time).await?;
        let (schema, _) = self.known(&mut lease, time, object).await?;
        let table = read::object(&schema, object)?;
        let count = read::count(table, &self.caller, selection)?;
        let settings = self.settings(time)?;
        let totals = async {
            lease.begin(READ, &settings).await.map_err(|trouble| time.judge(&trouble))?;
            let answer = lease.run(&count).await.map_err(|trouble| time.judge(&trouble))?;
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
        let (schema, rights) = self.known(&mut lease, time, object).await?;
        let table = read::object(&schema, object)?;
        let aim = remove::Aim { table, caller: &self.caller, rights: &rights, id, revision };
        remove::remove(&mut lease, time, &self.settings(time)?, &aim).await
    }
}

#[async_trait]
impl Bridge for PostgresBridge {
    async fn resolve_principal(&mut self, object: &str) -> Result<Principal, Failure> {
        let identity = self.caller.identity();
        if self.caller.is_anonymous() {
            return Ok(Principal { identity, access: None, narrowing: None });
        }
        let time = self.time()?;
        let resolved = time
            .limit(async {
                let mut lease = self.shared.source.lease(&time).await?;
                self.resolve(&mut lease, &time, object).await
            })
            .await?;
        let access = match resolved {
            None => None,
            Some((schema, rights)) => {
                let access = read::access(read::object(&schema, object)?, &rights);
                self.rights.insert(object.to_owned(), rights);
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
        time.limit(self.read_page(&time, object, selection, after, limit)).await
    }

    async fn aggregate(&mut self, object: &str, selection: &Selection) -> Result<Totals, Failure> {
        let time = self.time()?;
        time.limit(self.read_totals(&time, object, selection)).await
    }

    async fn remove(&mut self, object: &str, id: &[Scalar], revision: Option<&str>) -> Result<Removal, Failure> {
        let time = self.time()?;
        time.limit(self.remove_one(&time, object, id, revision)).await
    }
}
