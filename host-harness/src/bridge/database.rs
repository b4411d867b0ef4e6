//! The engines that are served out of the box, as one: a program that is told an address needs to know no more.

use std::time::Instant;

use super::Bridge;
use super::postgres::{self, Postgres};
use super::sqlite::{self, Sqlite};
use crate::config::{Config, Engine};
use crate::identity::Caller;

/// A database at an [`Engine`]'s address. Cheap to clone: clones share its connections.
#[derive(Clone)]
pub enum Database {
    /// A file.
    Sqlite(Sqlite),
    /// A server.
    Postgres(Postgres),
}

/// Why a database can't be served.
#[derive(Debug, thiserror::Error)]
pub enum OpenError {
    /// SQLite's reason.
    #[error(transparent)]
    Sqlite(#[from] sqlite::OpenError),
    /// PostgreSQL's reason.
    #[error(transparent)]
    Postgres(#[from] postgres::OpenError),
}

impl Database {
    /// Opens the database at an address, with what the configuration says about it.
    ///
    /// # Errors
    /// There is no such database, or the configuration does not fit its tables.
    pub async fn open(engine: &Engine, config: &Config) -> Result<Database, OpenError> {
        match engine {
            Engine::Sqlite(path) => Ok(Database::Sqlite(Sqlite::open(path, config)?)),
            Engine::Postgres(address) => Ok(Database::Postgres(Postgres::open(address, config).await?)),
        }
    }

    /// The names of all objects, sorted: tables with a key, system objects not among them.
    ///
    /// # Errors
    /// The engine failed.
    pub async fn objects(&self) -> Result<Vec<String>, OpenError> {
        match self {
            Database::Sqlite(sqlite) => Ok(sqlite.objects()?),
            Database::Postgres(postgres) => Ok(postgres.objects()),
        }
    }

    /// What the engine says of where it is, added to what the configuration says: it can make the target production,
    /// and can't be talked out of it (contract, section 7).
    pub fn say_where(&self, config: &mut Config) {
        let environment = match self {
            Database::Sqlite(_) => None,
            Database::Postgres(postgres) => postgres.environment(),
        };
        if let Some(environment) = environment {
            config.target.add(environment);
        }
    }

    /// The bridge for one call of one caller, which must be over at the deadline. Its functions may block their
    /// thread: a server runs a whole call on a thread that may.
    pub fn bridge(&self, caller: &Caller, deadline: Instant) -> Box<dyn Bridge> {
        match self {
            Database::Sqlite(sqlite) => Box::new(sqlite.bridge(caller).until(deadline)),
            Database::Postgres(postgres) => Box::new(postgres.bridge(caller).until(deadline)),
        }
    }
}
