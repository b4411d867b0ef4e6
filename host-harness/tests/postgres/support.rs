//! A server, databases in it, callers, and short ways to say what is asked of the bridge.

use std::path::Path;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU32, Ordering};

use deletegate::bridge::postgres::cluster::{Cluster, SUPERUSER};
use deletegate::bridge::postgres::{OpenError, Postgres, PostgresBridge};
use deletegate::bridge::{
    Bridge, Comparison, Condition, Count, Dependents, Failure, FilterTerm, Instant, Page, RecordId, Refusal, Removal,
    Row, Scalar, Selection,
};
use deletegate::config::{Address, Config};
use deletegate::identity::Caller;
use tokio::runtime::Runtime;
use tokio_postgres::{Client, NoTls, SimpleQueryMessage};

/// Nothing here outlives the tests, so nothing is gained by waiting for the disk.
const QUICK: &str = "-c fsync=off -c synchronous_commit=off -c full_page_writes=off -c max_connections=300";

fn server() -> &'static Cluster {
    static SERVER: OnceLock<Cluster> = OnceLock::new();
    SERVER.get_or_init(|| Cluster::start(QUICK).unwrap())
}

fn runtime() -> &'static Runtime {
    static RUNTIME: OnceLock<Runtime> = OnceLock::new();
    RUNTIME.get_or_init(|| tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().unwrap())
}

pub fn wait<T>(work: impl Future<Output = T>) -> T {
    runtime().block_on(work)
}

/// A database, and a connection past every rule.
pub struct Db {
    pub name: String,
    pub owner: Client,
}

/// A database with these tables.
pub fn database(sql: &str) -> Db {
    static MADE: AtomicU32 = AtomicU32::new(0);
    let name = format!("t{}", MADE.fetch_add(1, Ordering::Relaxed));
    wait(connect(SUPERUSER, "postgres").batch_execute(&format!("CREATE DATABASE {name}"))).unwrap();
    let owner = connect(SUPERUSER, &name);
    wait(owner.batch_execute(sql)).unwrap();
    Db { name, owner }
}

pub fn connect(user: &str, database: &str) -> Client {
    let address = server().address(user, database);
    wait(async {
        let (client, connection) = tokio_postgres::connect(&address, NoTls).await.unwrap();
        tokio::spawn(connection);
        client
    })
}

/// Makes roles that all databases share, once each.
pub fn roles(sql: &str) {
    let admin = connect(SUPERUSER, "postgres");
    for statement in sql.split(';').filter(|statement| !statement.trim().is_empty()) {
        match wait(admin.batch_execute(statement)) {
            Err(error) if error.code().is_none_or(|state| state.code() != "42710") => panic!("{statement}: {error:?}"),
            _ => {}
        }
    }
}

impl Db {
    pub fn address(&self, user: &str) -> Address {
        Address::parse(&server().address(user, &self.name)).unwrap()
    }

    /// Served as its owner, without a configuration.
    pub fn serve(&self) -> Postgres {
        self.configured(SUPERUSER, "").unwrap()
    }

    pub fn configured(&self, user: &str, config: &str) -> Result<Postgres, OpenError> {
        let config = Config::parse(config, Path::new("")).unwrap();
        wait(Postgres::open(&self.address(user), &config))
    }

    pub fn run(&self, sql: &str) {
        wait(self.owner.batch_execute(sql)).unwrap();
    }

    /// The first column of what a statement gives, each as text.
    pub fn column(&self, sql: &str) -> Vec<String> {
        column(&self.owner, sql)
    }
}

fn column(client: &Client, sql: &str) -> Vec<String> {
    let answers = wait(client.simple_query(sql)).unwrap();
    let row = |answer: &SimpleQueryMessage| match answer {
        SimpleQueryMessage::Row(row) => Some(row.get(0).unwrap_or("NULL").to_owned()),
        _ => None,
    };
    answers.iter().filter_map(row).collect()
}

/// A session that watches the others: one in a transaction sees them as they were when it looked first.
pub struct Watch(Client);

impl Watch {
    pub fn new() -> Watch {
        Watch(connect(SUPERUSER, "postgres"))
    }

    /// Whether it comes true that the statement gives no rows, or none but zeros.
    pub fn until_none(&self, sql: &str) -> bool {
        for _ in 0..2000 {
            if column(&self.0, sql).iter().all(|value| value == "0") {
                return true;
            }
            std::thread::sleep(std::time::Duration::from_millis(5));
        }
        false
    }

    pub fn column(&self, sql: &str) -> Vec<String> {
        column(&self.0, sql)
    }
}

pub fn system(postgres: &Postgres) -> PostgresBridge {
    postgres.bridge(&Caller::new(None, true))
}

pub fn user(postgres: &Postgres, id: &str) -> PostgresBridge {
    postgres.bridge(&Caller::new(Some(id), false))
}

pub fn text(text: &str) -> Scalar {
    Scalar::Text(text.to_owned())
}

pub fn int(value: i64) -> Scalar {
    Scalar::Integer(value)
}

pub fn decimal(digits: &str) -> Scalar {
    Scalar::Decimal(digits.to_owned())
}

pub fn at(seconds: i64, nanoseconds: u32) -> Scalar {
    Scalar::Instant(Instant { seconds, nanoseconds })
}

fn condition(field: &str, comparison: Comparison, operands: Vec<Scalar>) -> Condition {
    Condition { field: field.to_owned(), comparison, operands }
}

/// The condition as a whole filter.
pub fn is(field: &str, comparison: Comparison, operands: impl IntoIterator<Item = Scalar>) -> Vec<FilterTerm> {
    vec![FilterTerm::Condition(condition(field, comparison, operands.into_iter().collect()))]
}

/// Its negation as a whole filter.
pub fn unless(field: &str, comparison: Comparison, operands: impl IntoIterator<Item = Scalar>) -> Vec<FilterTerm> {
    vec![FilterTerm::Unless(condition(field, comparison, operands.into_iter().collect()))]
}

pub fn page(
    bridge: &mut PostgresBridge,
    object: &str,
    selection: &Selection,
    after: Option<&[Scalar]>,
    limit: u32,
) -> Result<Page, Failure> {
    wait(bridge.query(object, selection, after, limit))
}

pub fn rows(bridge: &mut PostgresBridge, object: &str, selection: &Selection) -> Vec<Row> {
    let page = page(bridge, object, selection, None, 1000).unwrap();
    assert!(!page.more);
    // What is counted is what is read.
    let totals = wait(bridge.aggregate(object, selection)).unwrap();
    assert_eq!(totals.count, Count::Exact(page.rows.len() as u64));
    page.rows
}

pub fn matching(postgres: &Postgres, object: &str, filter: Vec<FilterTerm>) -> Vec<Scalar> {
    let rows = rows(&mut system(postgres), object, &Selection::Filter(filter));
    rows.into_iter().map(|mut row| row.id.remove(0)).collect()
}

/// The ids that a filter selects, of an integer key.
pub fn numbers(postgres: &Postgres, object: &str, filter: Vec<FilterTerm>) -> Vec<i64> {
    let number = |id| match id {
        Scalar::Integer(id) => id,
        other => panic!("{other:?}"),
    };
    matching(postgres, object, filter).into_iter().map(number).collect()
}

pub fn every(bridge: &mut PostgresBridge, object: &str) -> Vec<RecordId> {
    rows(bridge, object, &Selection::Every).into_iter().map(|row| row.id).collect()
}

pub fn by_ids(bridge: &mut PostgresBridge, object: &str, ids: &[RecordId]) -> Vec<RecordId> {
    rows(bridge, object, &Selection::Ids(ids.to_vec())).into_iter().map(|row| row.id).collect()
}

pub fn remove(bridge: &mut PostgresBridge, object: &str, id: &[Scalar]) -> Result<Removal, Failure> {
    wait(bridge.remove(object, id, None))
}

pub fn dependents(bridge: &mut PostgresBridge, object: &str, ids: &[RecordId]) -> Option<Vec<Dependents>> {
    wait(bridge.aggregate(object, &Selection::Ids(ids.to_vec()))).unwrap().dependents
}

pub fn refusal<T: std::fmt::Debug>(result: Result<T, Failure>) -> Refusal {
    match result {
        Err(Failure::Refused(refusal)) => refusal,
        other => panic!("no refusal: {other:?}"),
    }
}

/// Code and status of a refusal.
pub fn code<T: std::fmt::Debug>(result: Result<T, Failure>) -> (String, u16) {
    let refusal = refusal(result);
    (refusal.code, refusal.status)
}

/// Waits until a session of the database waits for a lock.
pub fn until_somebody_waits(db: &Db) {
    let waiting = format!(
        "SELECT 1 WHERE NOT EXISTS (SELECT FROM pg_stat_activity WHERE datname = '{}' AND wait_event_type = 'Lock')",
        db.name
    );
    assert!(Watch::new().until_none(&waiting), "nobody waits for a lock");
}

/// No session of the database but the owner's is in a transaction, or holds a lock.
pub fn nothing_stays(db: &Db) {
    let owner = &db.column("SELECT pg_backend_pid()")[0];
    let sessions = format!("FROM pg_stat_activity WHERE datname = '{}' AND pid <> {owner}", db.name);
    let watch = Watch::new();
    let busy = format!("SELECT query {sessions} AND state <> 'idle'");
    assert!(watch.until_none(&busy), "a transaction stays: {:?}", watch.column(&busy));
    let locks = format!("SELECT count(*) FROM pg_locks WHERE pid IN (SELECT pid {sessions})");
    assert_eq!(watch.column(&locks), ["0"]);
}
