//! Databases in memory, callers, and short ways to say what is asked of the bridge.

use std::path::Path;

use deletegate::bridge::sqlite::{Sqlite, SqliteBridge};
use deletegate::bridge::{
    Bridge, Comparison, Condition, Dependents, Failure, FilterTerm, Instant, Page, RecordId, Refusal, Removal, Row,
    Scalar, Selection,
};
use deletegate::config::Config;
use deletegate::identity::Caller;
use futures_executor::block_on;
use rusqlite::Connection;

/// A database in memory with these tables, without a configuration.
pub fn serve(sql: &str) -> Sqlite {
    configured(sql, "")
}

pub fn configured(sql: &str, config: &str) -> Sqlite {
    let connection = Connection::open_in_memory().unwrap();
    connection.execute_batch(sql).unwrap();
    Sqlite::from_connection(connection, &Config::parse(config, Path::new("")).unwrap()).unwrap()
}

/// A database in a file of its own folder, which lives as long as the first value.
pub fn file(sql: &str) -> (tempfile::TempDir, std::path::PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("crm.db");
    Connection::open(&path).unwrap().execute_batch(sql).unwrap();
    (folder, path)
}

pub fn system(sqlite: &Sqlite) -> SqliteBridge {
    sqlite.bridge(&Caller::new(None, true))
}

pub fn user(sqlite: &Sqlite, id: &str) -> SqliteBridge {
    sqlite.bridge(&Caller::new(Some(id), false))
}

pub fn anonymous(sqlite: &Sqlite) -> SqliteBridge {
    sqlite.bridge(&Caller::new(None, false))
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
    bridge: &mut SqliteBridge,
    object: &str,
    selection: &Selection,
    after: Option<&[Scalar]>,
    limit: u32,
) -> Result<Page, Failure> {
    block_on(bridge.query(object, selection, after, limit))
}

pub fn rows(bridge: &mut SqliteBridge, object: &str, selection: &Selection) -> Vec<Row> {
    let page = page(bridge, object, selection, None, 1000).unwrap();
    assert!(!page.more);
    // What is counted is what is read.
    let totals = block_on(bridge.aggregate(object, selection)).unwrap();
    assert_eq!(totals.count, deletegate::bridge::Count::Exact(page.rows.len() as u64));
    page.rows
}

/// The ids that a filter selects, of a key of one field.
pub fn matching(sqlite: &Sqlite, object: &str, filter: Vec<FilterTerm>) -> Vec<Scalar> {
    let rows = rows(&mut system(sqlite), object, &Selection::Filter(filter));
    rows.into_iter().map(|mut row| row.id.remove(0)).collect()
}

/// The same for integer keys.
pub fn numbers(sqlite: &Sqlite, object: &str, filter: Vec<FilterTerm>) -> Vec<i64> {
    let ids = matching(sqlite, object, filter);
    ids.into_iter()
        .map(|id| match id {
            Scalar::Integer(id) => id,
            other => panic!("{other:?}"),
        })
        .collect()
}

pub fn every(bridge: &mut SqliteBridge, object: &str) -> Vec<RecordId> {
    rows(bridge, object, &Selection::Every).into_iter().map(|row| row.id).collect()
}

pub fn by_ids(bridge: &mut SqliteBridge, object: &str, ids: &[RecordId]) -> Vec<RecordId> {
    rows(bridge, object, &Selection::Ids(ids.to_vec())).into_iter().map(|row| row.id).collect()
}

pub fn remove(bridge: &mut SqliteBridge, object: &str, id: &[Scalar]) -> Result<Removal, Failure> {
    block_on(bridge.remove(object, id, None))
}

pub fn dependents(bridge: &mut SqliteBridge, object: &str, ids: &[RecordId]) -> Option<Vec<Dependents>> {
    block_on(bridge.aggregate(object, &Selection::Ids(ids.to_vec()))).unwrap().dependents
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
