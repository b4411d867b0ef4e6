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
//! *dependents*, *remove*: what the functions of the *bridge* do. *refusal*: what an error means. *connection*: who holds what, and
//! the transactions; *flights* tests that one that does not begin changes nothing, *plans* that indexes are used.
//!
//! # What PostgreSQL can't do, and so refuses
//! A comparison with a `decimal` operand of more digits than the engine takes: `FILTER_NOT_EXACT` 400.

mod bridge;
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
#[cfg(test)]
mod plans;
mod predicate;
mod read;
mod reference;
mod refusal;
mod remove;
mod rights;
mod rules;
mod schema;
mod sql;
pub(crate) mod tls;

use std::sync::{Arc, Mutex, PoisonError};

pub use self::bridge::PostgresBridge;
use self::caller::Server;
use self::connection::{Lease, READ, Source, Time, Trouble};
use self::rights::Rights;
use self::rules::RuleError;
use self::schema::Schema;
use self::sql::{Params, Statement, get};
use super::{Access, Failure};
use crate::config::{Address, Config};
use crate::identity::Caller;

/// The oldest release that is served: before it, `numeric` had no infinity.
const OLDEST: i32 = 140_000;

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
    server: Server,
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
        let tls = tls::connector(&parameters, config.postgres.tls_root.as_deref()).map_err(OpenError::Tls)?;
        let size = usize::try_from(config.postgres.pool_size).unwrap_or(1);
        let source = Source::new(parameters, tls, size).map_err(|error| OpenError::Unreachable(error.to_string()))?;
        let lease = source.first().await.map_err(|error| OpenError::Unreachable(refusal::chain(&error)))?;
        let (environment, name_bytes) = look(&lease).await?;
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
        Ok(Postgres {
            shared: Arc::new(Shared {
                source,
                config: config.clone(),
                schema,
                environment,
                server: Server { checks, name_bytes },
            }),
        })
    }

    /// The bridge for one caller.
    pub fn bridge(&self, caller: &Caller) -> PostgresBridge {
        PostgresBridge::new(self.shared.clone(), caller)
    }

    /// The names of all objects, sorted: tables with a key, system objects not among them.
    pub fn objects(&self) -> Vec<String> {
        let schema = self.shared.schema();
        schema.tables.values().filter(|table| table.served).map(|table| table.name.clone()).collect()
    }

    /// The object as its table declares it, whatever anybody may do with it.
    pub(crate) fn declared(&self, object: &str) -> Option<Access> {
        let schema = self.shared.schema();
        let table = read::object(&schema, object).ok()?;
        Some(read::access(table, &Rights::all(table)))
    }

    /// Why the server does not let this login act as a role; `None` where it does.
    pub(crate) async fn role_trouble(&self, role: &str) -> Result<Option<String>, OpenError> {
        let most = self.shared.server.name_bytes;
        if role.len() > most {
            return Ok(Some(format!("a name has at most {most} bytes")));
        }
        let first = self.shared.source.first().await;
        let mut lease = first.map_err(|error| OpenError::Unreachable(refusal::chain(&error)))?;
        let tables = |trouble: Trouble| OpenError::Tables(refusal::chain(trouble.error()));
        let mut params = Params::default();
        let takes = format!("SELECT pg_catalog.set_config('role', {}, TRUE)", params.text(role));
        let took = lease.begin(READ, &mut Statement::once(takes, params)).await;
        lease.roll_back().await.map_err(tables)?;
        match took {
            Ok(()) => Ok(None),
            Err(trouble) => match trouble.error().as_db_error() {
                Some(said) => Ok(Some(said.message().to_owned())),
                None => Err(tables(trouble)),
            },
        }
    }

    /// What the database says of itself: its setting `deletegate.environment` when it was opened.
    pub fn environment(&self) -> Option<&str> {
        self.shared.environment.as_deref()
    }
}

/// Looks at the server; gives its environment, and how long a name can be.
async fn look(lease: &Lease) -> Result<(Option<String>, usize), OpenError> {
    let tables = |error: tokio_postgres::Error| OpenError::Tables(refusal::chain(&error));
    let row = lease
        .client()
        .query_one(
            "SELECT current_setting('server_version_num')::pg_catalog.int4, current_setting('server_version'),
                 current_setting('server_encoding'), nullif(current_setting('deletegate.environment', TRUE), ''),
                 current_setting('max_identifier_length')::pg_catalog.int4",
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
    let name_bytes: i32 = get(&row, 4).map_err(tables)?;
    Ok((get(&row, 3).map_err(tables)?, usize::try_from(name_bytes).unwrap_or_default()))
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
