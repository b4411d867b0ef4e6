//! SQLite behind the bridge.
//!
//! It works on a database that it has never seen: tables, keys, types and foreign keys are read from the schema, again
//! whenever that changes. A rule of the owner's is a trigger of the database (its `RAISE` is relayed to the caller), or
//! a predicate of the configuration.
//!
//! The database is one caller's or another's only through a [`SqliteBridge`]; it holds who is calling, and every
//! function resolves anew what they may do.
//!
//! # What is where
//! *schema*, *declared*, *reference*, *rules*: the tables as objects. *filter*, *compare*, *key*, *sql*: what is
//! selected, as SQL in which every value is bound. *functions*, *instant*, *value*: what SQLite can't say
//! exactly itself. *read*, *dependents*, *remove*: the functions of the bridge. *refusal*: what an error means.
//! *connection*, *transaction*: who holds what. *plans* tests that indexes are used.
//!
//! # What SQLite can't do, and so refuses
//! A comparison with a `decimal` operand that no double stands for: `FILTER_NOT_EXACT` 400. *compare* says why.

mod compare;
mod connection;
mod declared;
mod dependents;
mod filter;
mod functions;
mod instant;
mod key;
#[cfg(test)]
mod plans;
mod read;
mod reference;
mod refusal;
mod remove;
mod rules;
mod schema;
mod sql;
mod transaction;
mod value;

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Instant;

use async_trait::async_trait;
use rusqlite::Connection;

use self::connection::Source;
use self::transaction::Transaction;
use super::{Bridge, Failure, Page, Principal, Removal, Scalar, Selection, Totals};
use crate::config::Config;
use crate::identity::Caller;

/// A SQLite database, and what the configuration says about it. Cheap to clone: clones share the connections.
#[derive(Clone)]
pub struct Sqlite {
    source: Arc<Source>,
}

/// Why a database can't be served.
#[derive(Debug, thiserror::Error)]
pub enum OpenError {
    /// There is no such file, and none is made.
    #[error("there is no file {}: name the file of a database that exists", path.display())]
    Missing {
        /// The file.
        path: PathBuf,
    },
    /// The path is a folder or a device.
    #[error("{} is no file: name the file of a SQLite database", path.display())]
    NoFile {
        /// The path.
        path: PathBuf,
    },
    /// The file is something else, or encrypted.
    #[error("{} is no SQLite database", path.display())]
    NoDatabase {
        /// The file.
        path: PathBuf,
    },
    /// Foreign keys can't be enforced on the connection, so a removal would leave records that point at nothing.
    #[error("foreign keys can't be switched on for this connection: is it inside a transaction?")]
    ForeignKeys,
    /// The configuration names something that the database does not have.
    #[error("{0}")]
    Config(String),
    /// The engine failed.
    #[error("the database can't be opened: {0}")]
    Engine(#[source] rusqlite::Error),
    /// The engine refused or failed while it was asked for its tables.
    #[error("the tables can't be read: {0}")]
    Tables(String),
}

impl Sqlite {
    /// Opens the database in a file, for reading and writing. The file must be there.
    ///
    /// # Errors
    /// The file is missing or no database, or the configuration does not fit its tables.
    pub fn open(path: &Path, config: &Config) -> Result<Sqlite, OpenError> {
        Ok(Sqlite { source: Arc::new(Source::file(path, Arc::new(config.clone()))?) })
    }

    /// Serves a connection, for example to a database in memory. All calls share it, one after the other. It gets
    /// functions and settings of the bridge's own, so it should be used for nothing else.
    ///
    /// # Errors
    /// The connection is inside a transaction, or the configuration does not fit its tables.
    pub fn from_connection(connection: Connection, config: &Config) -> Result<Sqlite, OpenError> {
        Ok(Sqlite { source: Arc::new(Source::shared(connection, Arc::new(config.clone()))?) })
    }

    /// The bridge for one caller.
    pub fn bridge(&self, caller: &Caller) -> SqliteBridge {
        SqliteBridge { source: self.source.clone(), caller: caller.clone(), deadline: None }
    }

    /// The names of all objects, sorted: tables with a key, system objects not among them.
    ///
    /// # Errors
    /// The engine failed.
    pub fn objects(&self) -> Result<Vec<String>, OpenError> {
        let objects = self.source.with(None, |session| {
            let schema = session.schema()?;
            Ok(schema.tables.values().filter(|table| table.served).map(|table| table.name.clone()).collect())
        });
        objects.map_err(|failure| match failure {
            Failure::Refused(refusal) => OpenError::Tables(refusal.reason),
            Failure::Faulted(sentence) => OpenError::Tables(sentence),
            other => OpenError::Tables(format!("{other:?}")),
        })
    }
}

/// The bridge to a SQLite database for one caller.
///
/// SQLite runs in the thread that calls it, so the futures of this bridge are ready when they are first polled, and
/// block until then, for a lock as long as two seconds. A server runs a whole call on a thread that may block.
pub struct SqliteBridge {
    source: Arc<Source>,
    caller: Caller,
    deadline: Option<Instant>,
}

impl SqliteBridge {
    /// With a time at which the call that the bridge is for must be over. A statement that still runs then is stopped,
    /// and its function answers [`Failure::DeadlineExceeded`]; a removal that it was part of has not happened. Without
    /// one, a function of the bridge has 30 seconds.
    #[must_use]
    pub fn until(mut self, deadline: Instant) -> SqliteBridge {
        self.deadline = Some(deadline);
        self
    }
}

#[async_trait]
impl Bridge for SqliteBridge {
    async fn resolve_principal(&mut self, object: &str) -> Result<Principal, Failure> {
        self.source.with(self.deadline, |session| Ok(read::principal(&*session.schema()?, &self.caller, object)))
    }

    async fn query(
        &mut self,
        object: &str,
        selection: &Selection,
        after: Option<&[Scalar]>,
        limit: u32,
    ) -> Result<Page, Failure> {
        self.source.with(self.deadline, |session| {
            let _snapshot = Transaction::read(&session.connection).map_err(refusal::of)?;
            let schema = session.schema()?;
            let table = read::object(&schema, &self.caller, object)?;
            read::query(&session.connection, table, &self.caller, selection, after, limit)
        })
    }

    async fn aggregate(&mut self, object: &str, selection: &Selection) -> Result<Totals, Failure> {
        self.source.with(self.deadline, |session| {
            let _snapshot = Transaction::read(&session.connection).map_err(refusal::of)?;
            let schema = session.schema()?;
            let table = read::object(&schema, &self.caller, object)?;
            read::totals(&session.connection, &schema, table, &self.caller, selection)
        })
    }

    async fn remove(&mut self, object: &str, id: &[Scalar], revision: Option<&str>) -> Result<Removal, Failure> {
        refusal::known(&self.caller)?;
        self.source.with(self.deadline, |session| {
            let transaction = Transaction::write(&session.connection).map_err(refusal::of)?;
            let schema = session.schema()?;
            let table = read::object(&schema, &self.caller, object)?;
            let removal = remove::remove(&session.connection, table, &self.caller, id, revision)?;
            // What a trigger did instead of the removal lasts too: it would, had anybody else removed the record.
            if matches!(removal, Removal::Removed | Removal::Kept) {
                transaction.commit().map_err(refusal::of)?;
            }
            Ok(removal)
        })
    }
}
