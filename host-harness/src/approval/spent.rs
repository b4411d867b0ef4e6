//! Which sealed questions have been answered: each counts once.
//!
//! Without a shared store a question counts once at the server that put it, as long as it runs; a fresh sealing key makes
//! that enough, since no other server opens the seal. Replicas that share a key must share a store too, or one answer
//! could count once at each; the guard then still lets nothing go but the very records of the question.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use deadpool_postgres::{Manager, ManagerConfig, Pool, RecyclingMethod, Runtime, Timeouts};
use rusqlite::{Connection, params};

use crate::bridge::postgres::tls;
use crate::config::Address;

/// Its name keeps the table from being served as an object (contract, section 3).
const TABLE: &str = "sys_deletegate_spent_questions";

/// Connections to a server that hold this table: a question is spent in one statement.
const CONNECTIONS: usize = 2;

/// How long a replica waits for another that is writing.
const BUSY_TIMEOUT: Duration = Duration::from_secs(5);

/// A store of questions that have been answered.
#[derive(Clone)]
pub struct Spent {
    store: Store,
}

#[derive(Clone)]
enum Store {
    /// Ends of life, by nonce.
    Memory(Arc<Mutex<HashMap<String, SystemTime>>>),
    Sqlite(Arc<Mutex<Connection>>),
    Postgres(Pool),
}

/// The store can't be used. The cause is for the log.
#[derive(Debug, thiserror::Error)]
#[error("the store of answered questions can't be used: {cause}")]
pub struct StoreError {
    cause: String,
}

/// Where a store is.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum StoreAddress {
    /// In this server's memory.
    #[default]
    Memory,
    /// In a SQLite file, which is made where it is missing: for replicas on one machine.
    Sqlite(PathBuf),
    /// In a table of a PostgreSQL database, whose server's certificate the second verifies: for replicas anywhere.
    Postgres(Address, Option<PathBuf>),
}

impl Spent {
    /// Opens a store, and makes its table where it is missing.
    ///
    /// # Errors
    /// The store can't be reached, or its table can't be made.
    pub async fn open(address: &StoreAddress) -> Result<Spent, StoreError> {
        let store = match address {
            StoreAddress::Memory => Store::Memory(Arc::default()),
            StoreAddress::Sqlite(path) => Store::Sqlite(Arc::new(Mutex::new(sqlite(path)?))),
            StoreAddress::Postgres(address, tls_root) => Store::Postgres(postgres(address, tls_root.as_deref()).await?),
        };
        Ok(Spent { store })
    }

    /// Whether this is the first answer to a question that lives at most so long.
    ///
    /// # Errors
    /// The store can't be reached: then nobody knows, and no answer may count.
    pub async fn spend(&self, nonce: &str, life: Duration) -> Result<bool, StoreError> {
        let now = SystemTime::now();
        match &self.store {
            Store::Memory(spent) => {
                let mut spent = spent.lock().unwrap_or_else(PoisonError::into_inner);
                spent.retain(|_, until| *until >= now);
                Ok(spent.insert(nonce.to_owned(), now + life).is_none())
            }
            Store::Sqlite(connection) => {
                let (connection, nonce) = (connection.clone(), nonce.to_owned());
                let spend = move || {
                    let connection = connection.lock().unwrap_or_else(PoisonError::into_inner);
                    connection.execute(&format!("DELETE FROM {TABLE} WHERE until < ?1"), [seconds(now)])?;
                    let insert = format!("INSERT OR IGNORE INTO {TABLE} (nonce, until) VALUES (?1, ?2)");
                    connection.execute(&insert, params![nonce, seconds(now + life) + 1])
                };
                let inserted = tokio::task::spawn_blocking(spend).await.map_err(store_error)?;
                Ok(inserted.map_err(store_error)? == 1)
            }
            Store::Postgres(pool) => {
                let client = pool.get().await.map_err(store_error)?;
                let forget = format!("DELETE FROM {TABLE} WHERE until < $1");
                client.execute(&forget, &[&seconds(now)]).await.map_err(store_error)?;
                // Of two at once the second waits for the first, and then finds its row.
                let insert = format!("INSERT INTO {TABLE} (nonce, until) VALUES ($1, $2) ON CONFLICT DO NOTHING");
                let inserted = client.execute(&insert, &[&nonce, &(seconds(now + life) + 1)]).await;
                Ok(inserted.map_err(store_error)? == 1)
            }
        }
    }
}

fn sqlite(path: &Path) -> Result<Connection, StoreError> {
    let connection = Connection::open(path).map_err(store_error)?;
    connection.busy_timeout(BUSY_TIMEOUT).map_err(store_error)?;
    let table = format!("CREATE TABLE IF NOT EXISTS {TABLE} (nonce TEXT PRIMARY KEY, until INTEGER NOT NULL)");
    connection.execute_batch(&table).map_err(store_error)?;
    Ok(connection)
}

async fn postgres(address: &Address, tls_root: Option<&Path>) -> Result<Pool, StoreError> {
    let parameters = address.parameters();
    let tls = tls::connector(&parameters, tls_root).map_err(store_error)?;
    let recycling = ManagerConfig { recycling_method: RecyclingMethod::Verified };
    let pool = Pool::builder(Manager::from_config(parameters, tls, recycling))
        .max_size(CONNECTIONS)
        .runtime(Runtime::Tokio1)
        .timeouts(Timeouts { wait: Some(BUSY_TIMEOUT), create: Some(BUSY_TIMEOUT), recycle: Some(BUSY_TIMEOUT) })
        .build()
        .map_err(store_error)?;
    let client = pool.get().await.map_err(store_error)?;
    // It is looked for first: a role that may not create tables can use one that its owner has made.
    let there = client.query_one("SELECT to_regclass($1::text) IS NOT NULL", &[&TABLE]).await.map_err(store_error)?;
    if !there.get::<_, bool>(0) {
        // Replicas that start together all try.
        let table = format!("CREATE TABLE IF NOT EXISTS {TABLE} (nonce text PRIMARY KEY, until bigint NOT NULL)");
        if let Err(error) = client.batch_execute(&table).await
            && client.execute(&format!("SELECT 1 FROM {TABLE} LIMIT 0"), &[]).await.is_err()
        {
            return Err(store_error(error));
        }
    }
    Ok(pool)
}

fn seconds(time: SystemTime) -> i64 {
    let since = time.duration_since(UNIX_EPOCH).unwrap_or_default();
    i64::try_from(since.as_secs()).unwrap_or(i64::MAX)
}

fn store_error(error: impl std::fmt::Display) -> StoreError {
    StoreError { cause: error.to_string() }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LIFE: Duration = Duration::from_secs(60);

    #[tokio::test]
    async fn a_question_is_answered_once() {
        let folder = tempfile::tempdir().unwrap();
        let shared = StoreAddress::Sqlite(folder.path().join("spent.db"));
        for address in [StoreAddress::Memory, shared.clone()] {
            let spent = Spent::open(&address).await.unwrap();
            assert!(spent.spend("a", LIFE).await.unwrap() && !spent.spend("a", LIFE).await.unwrap());
            assert!(spent.clone().spend("b", LIFE).await.unwrap() && !spent.spend("b", LIFE).await.unwrap());
        }
        let replica = Spent::open(&shared).await.unwrap();
        assert!(!replica.spend("a", LIFE).await.unwrap() && replica.spend("c", LIFE).await.unwrap());
    }

    #[tokio::test]
    async fn what_has_died_is_forgotten() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("spent.db");
        let spent = Spent::open(&StoreAddress::Sqlite(path.clone())).await.unwrap();
        let other = Connection::open(path).unwrap();
        other.execute(&format!("INSERT INTO {TABLE} VALUES ('old', 7)"), []).unwrap();
        assert!(spent.spend("new", LIFE).await.unwrap());
        let left: String =
            other.query_row(&format!("SELECT group_concat(nonce) FROM {TABLE}"), [], |row| row.get(0)).unwrap();
        assert_eq!(left, "new");
    }

    #[tokio::test]
    async fn without_its_store_no_answer_counts() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("spent.db");
        let spent = Spent::open(&StoreAddress::Sqlite(path.clone())).await.unwrap();
        Connection::open(path).unwrap().execute_batch(&format!("DROP TABLE {TABLE}")).unwrap();
        assert!(spent.spend("a", LIFE).await.is_err());
        assert!(Spent::open(&StoreAddress::Sqlite(folder.path().into())).await.is_err());
    }
}
