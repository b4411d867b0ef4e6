//! Two connections in each other's way, and time that is over.

use std::time::{Duration, Instant};

use deletegate::bridge::sqlite::Sqlite;
use deletegate::bridge::{Failure, Removal, Selection};
use rusqlite::Connection;

use crate::support::*;

const TABLE: &str = "CREATE TABLE t (id INTEGER PRIMARY KEY); INSERT INTO t VALUES (1), (2);";

#[test]
fn a_lock_that_stays_is_refused_in_bounded_time_and_may_be_tried_again() {
    for journal in ["DELETE", "WAL"] {
        let (_folder, path) = file(&format!("PRAGMA journal_mode = {journal}; {TABLE}"));
        let sqlite = Sqlite::open(&path, &Default::default()).unwrap();
        let mut bridge = system(&sqlite);
        let other = Connection::open(&path).unwrap();
        other.execute_batch("BEGIN IMMEDIATE; INSERT INTO t VALUES (3)").unwrap();
        let began = Instant::now();
        let refusal = refusal(remove(&mut bridge, "t", &[int(1)]));
        assert_eq!((refusal.code.as_str(), refusal.status, refusal.retryable), ("ENGINE_BUSY", 409, true));
        assert!(began.elapsed() < Duration::from_secs(10));
        // Reading goes on beside a writer that has not committed.
        assert_eq!(every(&mut bridge, "t").len(), 2);
        other.execute_batch("COMMIT").unwrap();
        assert_eq!(remove(&mut bridge, "t", &[int(1)]).unwrap(), Removal::Removed);
    }
}

/// The lock is waited for as long as the call has time.
#[test]
fn a_lock_that_outlives_the_call_ends_it() {
    for journal in ["DELETE", "WAL"] {
        let (_folder, path) = file(&format!("PRAGMA journal_mode = {journal}; {TABLE}"));
        let sqlite = Sqlite::open(&path, &Default::default()).unwrap();
        let other = Connection::open(&path).unwrap();
        other.execute_batch("BEGIN IMMEDIATE").unwrap();
        let until = Instant::now() + Duration::from_millis(300);
        let answer = remove(&mut system(&sqlite).until(until), "t", &[int(1)]);
        assert!(matches!(answer, Err(Failure::DeadlineExceeded)), "{answer:?}");
        other.execute_batch("COMMIT").unwrap();
        assert_eq!(every(&mut system(&sqlite), "t").len(), 2);
    }
}

#[test]
fn a_lock_that_passes_is_waited_for() {
    let (_folder, path) = file(TABLE);
    let sqlite = Sqlite::open(&path, &Default::default()).unwrap();
    let other = Connection::open(&path).unwrap();
    other.execute_batch("BEGIN IMMEDIATE").unwrap();
    std::thread::scope(|scope| {
        scope.spawn(move || {
            std::thread::sleep(Duration::from_millis(200));
            other.execute_batch("COMMIT").unwrap();
        });
        assert_eq!(remove(&mut system(&sqlite), "t", &[int(1)]).unwrap(), Removal::Removed);
    });
}

#[test]
fn a_reader_that_holds_up_the_commit_is_busy_too_and_nothing_is_removed() {
    let (_folder, path) = file(TABLE);
    let sqlite = Sqlite::open(&path, &Default::default()).unwrap();
    let other = Connection::open(&path).unwrap();
    other.execute_batch("BEGIN; SELECT * FROM t").unwrap();
    let count: i64 = other.query_row("SELECT count(*) FROM t", [], |row| row.get(0)).unwrap();
    assert_eq!(count, 2);
    let refusal = refusal(remove(&mut system(&sqlite), "t", &[int(1)]));
    assert_eq!((refusal.code.as_str(), refusal.retryable), ("ENGINE_BUSY", true));
    other.execute_batch("COMMIT").unwrap();
    assert_eq!(every(&mut system(&sqlite), "t").len(), 2);
    assert_eq!(remove(&mut system(&sqlite), "t", &[int(1)]).unwrap(), Removal::Removed);
}

#[test]
fn a_database_that_is_held_alone_cannot_be_read_for_now() {
    let (_folder, path) = file(TABLE);
    let sqlite = Sqlite::open(&path, &Default::default()).unwrap();
    let other = Connection::open(&path).unwrap();
    other.execute_batch("BEGIN EXCLUSIVE").unwrap();
    let refusal = refusal(page(&mut system(&sqlite), "t", &Selection::Every, None, 5));
    assert_eq!((refusal.code.as_str(), refusal.retryable), ("ENGINE_BUSY", true));
}

#[test]
fn a_statement_ends_with_the_time_of_its_call() {
    let sqlite = configured(
        "CREATE TABLE t (id INTEGER PRIMARY KEY); INSERT INTO t VALUES (1), (2);
         CREATE TRIGGER slow BEFORE DELETE ON t BEGIN
             INSERT INTO log WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 1000000000) SELECT max(i) FROM n;
         END;
         CREATE TABLE log (n INTEGER);",
        "[objects.t]\nvisible = \"\"\"id = 1 OR 0 < (WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 1000000000)
             SELECT count(*) FROM n WHERE i < 0)\"\"\"",
    );
    let soon = || Instant::now() + Duration::from_millis(100);
    let began = Instant::now();
    let answer = page(&mut user(&sqlite, "ana").until(soon()), "t", &Selection::Every, None, 5);
    assert!(matches!(answer, Err(Failure::DeadlineExceeded)), "{answer:?}");
    let answer = remove(&mut system(&sqlite).until(soon()), "t", &[int(1)]);
    assert!(matches!(answer, Err(Failure::DeadlineExceeded)), "{answer:?}");
    let answer = page(&mut system(&sqlite).until(Instant::now()), "t", &Selection::Every, None, 5);
    assert!(matches!(answer, Err(Failure::DeadlineExceeded)), "{answer:?}");
    assert!(began.elapsed() < Duration::from_secs(10));
    // The next call has its own time, and finds everything as it was.
    assert_eq!(every(&mut system(&sqlite), "t").len(), 2);
}
