//! Connections: how each is set up, and who holds them.

use std::cell::RefCell;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use rusqlite::config::DbConfig;
use rusqlite::{Connection, OpenFlags};

use super::rules::RuleError;
use super::schema::{self, Schema};
use super::{OpenError, functions, refusal};
use crate::bridge::Failure;
use crate::bridge::defaults::{FUNCTION_TIME, LOCK_TIME};
use crate::config::Config;

/// Steps of SQLite's virtual machine between two looks at the clock: about a millisecond.
const STEPS: i32 = 10_000;

/// Connections kept for the next call. More may be open at once; a call has one for each function that runs.
const IDLE_CONNECTIONS: usize = 8;

/// Prepared statements kept for each connection: the handful that a removal loop needs, for some objects.
const STATEMENTS: usize = 64;

/// A connection with what it has read of the schema.
pub(super) struct Session {
    pub connection: Connection,
    config: Arc<Config>,
    schema: RefCell<Arc<Schema>>,
    /// When the function that runs must have ended.
    deadline: Arc<Mutex<Instant>>,
}

impl Session {
    fn new(mut connection: Connection, config: Arc<Config>) -> Result<Session, OpenError> {
        // While the tables are read; a function that runs later waits no longer than its call.
        connection.busy_timeout(LOCK_TIME).map_err(engine)?;
        // Without effect inside a transaction, and off in some builds: so it is asked for, and then looked at.
        connection.pragma_update(None, "foreign_keys", true).map_err(engine)?;
        let on: bool = connection.query_row("PRAGMA foreign_keys", [], |row| row.get(0)).map_err(engine)?;
        if !on || !connection.is_autocommit() {
            return Err(OpenError::ForeignKeys);
        }
        // Nobody needs to write to the schema's own tables here.
        connection.set_db_config(DbConfig::SQLITE_DBCONFIG_DEFENSIVE, true).map_err(engine)?;
        connection.set_prepared_statement_cache_capacity(STATEMENTS);
        functions::register(&connection).map_err(engine)?;
        rusqlite::vtab::array::load_module(&connection).map_err(engine)?;
        let deadline = Arc::new(Mutex::new(Instant::now() + FUNCTION_TIME));
        let clock = deadline.clone();
        connection.progress_handler(STEPS, Some(move || Instant::now() >= *locked(&clock))).map_err(engine)?;
        let schema = RefCell::new(Arc::new(schema::load(&connection, &config)?));
        Ok(Session { connection, config, schema, deadline })
    }

    fn open(path: &Path, config: Arc<Config>) -> Result<Session, OpenError> {
        // No SQLITE_OPEN_CREATE and no SQLITE_OPEN_URI: the path is a path, and its file is there.
        let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
        let connection = Connection::open_with_flags(path, flags).map_err(engine)?;
        Session::new(connection, config)
    }

    /// Runs `work`, and stops its statements at the deadline; none waits for a lock beyond it.
    fn run<R>(
        &self,
        deadline: Option<Instant>,
        work: impl FnOnce(&Session) -> Result<R, Failure>,
    ) -> Result<R, Failure> {
        let now = Instant::now();
        if deadline.is_some_and(|deadline| deadline <= now) {
            return Err(Failure::DeadlineExceeded);
        }
        let until = deadline.map_or(now + FUNCTION_TIME, |deadline| deadline.min(now + FUNCTION_TIME));
        *locked(&self.deadline) = until;
        // SQLite counts whole milliseconds: one more, so that its wait is over behind the deadline and not before.
        let wait = LOCK_TIME.min(until - now + Duration::from_millis(1));
        self.connection.busy_timeout(wait).map_err(refusal::of)?;
        work(self).map_err(|failure| match failure {
            Failure::Refused(refusal) if refusal.retryable && Instant::now() >= until => Failure::DeadlineExceeded,
            failure => failure,
        })
    }

    /// The schema as it is now; inside a transaction, as it stays until its end.
    pub fn schema(&self) -> Result<Arc<Schema>, Failure> {
        if schema::version(&self.connection).map_err(refusal::of)? != self.schema.borrow().version {
            let schema = schema::load(&self.connection, &self.config).map_err(|error| match error {
                RuleError::Engine(error) => refusal::of(error),
                RuleError::Config(sentence) => {
                    tracing::error!(cause = sentence, "the tables have changed, and the configuration no longer fits");
                    Failure::Faulted("The tables have changed, and the configuration no longer fits them.".to_owned())
                }
            })?;
            self.schema.replace(Arc::new(schema));
        }
        Ok(self.schema.borrow().clone())
    }
}

/// Where connections come from.
pub(super) enum Source {
    /// A file: a connection is taken from the idle ones, or opened, for each function that runs.
    File { path: PathBuf, config: Arc<Config>, idle: Mutex<Vec<Session>> },
    /// One connection that all calls share, one after the other: a database in memory has no other.
    Shared(Mutex<Session>),
}

impl Source {
    pub fn file(path: &Path, config: Arc<Config>) -> Result<Source, OpenError> {
        match std::fs::metadata(path) {
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
                return Err(OpenError::Missing { path: path.to_owned() });
            }
            Ok(metadata) if !metadata.is_file() => return Err(OpenError::NoFile { path: path.to_owned() }),
            // Whatever else is wrong, SQLite says.
            _ => {}
        }
        let session = Session::open(path, config.clone()).map_err(|error| error.at(path))?;
        Ok(Source::File { path: path.to_owned(), config, idle: Mutex::new(vec![session]) })
    }

    pub fn shared(connection: Connection, config: Arc<Config>) -> Result<Source, OpenError> {
        Ok(Source::Shared(Mutex::new(Session::new(connection, config)?)))
    }

    /// Runs `work` on a connection that nobody else uses meanwhile, at most until the deadline.
    pub fn with<R>(
        &self,
        deadline: Option<Instant>,
        work: impl FnOnce(&Session) -> Result<R, Failure>,
    ) -> Result<R, Failure> {
        match self {
            Source::Shared(session) => locked(session).run(deadline, work),
            Source::File { path, config, idle } => {
                let waiting = locked(idle).pop();
                let session = match waiting {
                    Some(session) => session,
                    None => Session::open(path, config.clone()).map_err(|error| {
                        tracing::error!(cause = %error, "no further connection");
                        Failure::Faulted("The database could not be opened.".to_owned())
                    })?,
                };
                let result = session.run(deadline, work);
                let mut idle = locked(idle);
                if !session.connection.is_autocommit() {
                    tracing::error!("a connection kept its transaction open, and is dropped");
                } else if idle.len() < IDLE_CONNECTIONS {
                    idle.push(session);
                }
                result
            }
        }
    }
}

/// A panic has rolled its transaction back while it unwound, so what the lock guards is as good as before.
fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

fn engine(error: rusqlite::Error) -> OpenError {
    match error.sqlite_error_code() {
        Some(rusqlite::ErrorCode::NotADatabase) => OpenError::NoDatabase { path: PathBuf::new() },
        _ => OpenError::Engine(error),
    }
}

impl From<RuleError> for OpenError {
    fn from(error: RuleError) -> OpenError {
        match error {
            RuleError::Engine(error) => engine(error),
            RuleError::Config(sentence) => OpenError::Config(sentence),
        }
    }
}

impl OpenError {
    /// The same about the file at `path`.
    fn at(self, file: &Path) -> OpenError {
        match self {
            OpenError::NoDatabase { .. } => OpenError::NoDatabase { path: file.to_owned() },
            other => other,
        }
    }
}
