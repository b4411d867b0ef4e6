//! Tests of how SQLite runs the statements: what has an index must use it, whatever is asked beside.

use std::path::Path;

use rusqlite::Connection;

use super::connection::Source;
use super::sql::{Bound, Lists, column as named, delete_from, select_from};
use super::{key, read};
use crate::bridge::{Comparison, Condition, FilterTerm, Instant, RecordId, Scalar, Selection};
use crate::config::Config;
use crate::identity::Caller;

const TABLES: &str = "
    CREATE TABLE number (id INTEGER PRIMARY KEY, status TEXT, folded TEXT COLLATE NOCASE, at DATETIME, price DECIMAL);
    CREATE INDEX by_status ON number (status);
    CREATE INDEX by_folded ON number (folded);
    CREATE INDEX by_price ON number (price);
    CREATE TABLE name (id TEXT PRIMARY KEY COLLATE NOCASE);
    CREATE TABLE device (id UUID PRIMARY KEY);
    CREATE TABLE tick (at DATETIME PRIMARY KEY);
    CREATE TABLE pair (a TEXT, b INTEGER, PRIMARY KEY (a, b)) WITHOUT ROWID;";

/// What SQLite says about a statement, without the statements around it.
fn plan(session: &super::connection::Session, bound: &Bound) -> String {
    let mut statement = bound.explained().prepare(&session.connection).unwrap();
    let mut rows = statement.raw_query();
    let mut lines = Vec::new();
    while let Some(row) = rows.next().unwrap() {
        lines.push(row.get::<_, String>(3).unwrap());
    }
    lines.join("; ")
}

fn selected(object: &str, selection: &Selection, after: Option<&[Scalar]>) -> String {
    let connection = Connection::open_in_memory().unwrap();
    connection.execute_batch(TABLES).unwrap();
    let source = Source::shared(connection, Config::parse("", Path::new("")).unwrap().into()).unwrap();
    source
        .with(None, |session| {
            let schema = session.schema()?;
            let table = &schema.tables[object];
            let caller = Caller::new(None, true);
            let mut lists = Lists::default();
            let mut statement = select_from(table);
            statement.exprs(table.key_columns().map(|column| named(table, column)));
            statement.and_where(read::selected(table, &caller, selection, &mut lists)?);
            if let Some(id) = after {
                statement.and_where(key::behind(&session.connection, table, id)?);
            }
            key::order(table, &mut statement);
            Ok(plan(session, &Bound::select(&statement.limit(5).take(), lists, None)))
        })
        .unwrap()
}

fn removed(object: &str, id: RecordId) -> String {
    let connection = Connection::open_in_memory().unwrap();
    connection.execute_batch(TABLES).unwrap();
    let source = Source::shared(connection, Config::default().into()).unwrap();
    source
        .with(None, |session| {
            let schema = session.schema()?;
            let table = &schema.tables[object];
            let mut lists = Lists::default();
            let condition = key::is(table, &id, &mut lists);
            Ok(plan(session, &Bound::delete(&delete_from(table, condition), lists, None)))
        })
        .unwrap()
}

fn text(text: &str) -> Scalar {
    Scalar::Text(text.to_owned())
}

const UUID: &str = "0b6dd3e4-3f1c-4d3e-9a51-6f0b8f4a2c11";
const AT: Scalar = Scalar::Instant(Instant { seconds: 0, nanoseconds: 0 });

#[test]
fn a_record_is_found_by_its_key() {
    for (object, id) in [
        ("number", vec![Scalar::Integer(1)]),
        ("name", vec![text("a")]),
        ("device", vec![text(UUID)]),
        ("tick", vec![AT]),
        ("pair", vec![text("a"), Scalar::Integer(1)]),
    ] {
        let plan = removed(object, id);
        assert!(plan.contains(&format!("SEARCH main.{object}")), "{object}: {plan}");
    }
}

#[test]
fn listed_records_are_found_by_their_keys() {
    for (object, ids) in [
        ("number", vec![vec![Scalar::Integer(1)], vec![Scalar::Integer(2)]]),
        ("name", vec![vec![text("a")], vec![text("b")]]),
        ("device", vec![vec![text(UUID)], vec![text(UUID)]]),
        ("pair", vec![vec![text("a"), Scalar::Integer(1)], vec![text("a"), Scalar::Integer(2)]]),
    ] {
        let plan = selected(object, &Selection::Ids(ids), None);
        assert!(plan.contains(&format!("SEARCH main.{object}")), "{object}: {plan}");
    }
}

#[test]
fn pages_need_no_sorting() {
    for (object, id) in
        [("number", vec![Scalar::Integer(1)]), ("name", vec![text("a")]), ("pair", vec![text("a"), Scalar::Integer(1)])]
    {
        for after in [None, Some(id.as_slice())] {
            let plan = selected(object, &Selection::Every, after);
            assert!(!plan.contains("TEMP B-TREE"), "{object}: {plan}");
            assert_eq!(plan.contains("SEARCH"), after.is_some(), "{object}: {plan}");
        }
    }
}

#[test]
fn filters_use_the_columns_indexes() {
    let equal = |field: &str, operands: Vec<Scalar>| {
        let comparison = if operands.len() == 1 { Comparison::Equal } else { Comparison::AnyOf };
        FilterTerm::Condition(Condition { field: field.to_owned(), comparison, operands })
    };
    for (term, index) in [
        (equal("status", vec![text("open")]), "by_status"),
        (equal("status", vec![text("open"), text("new")]), "by_status"),
        (equal("folded", vec![text("open")]), "by_folded"),
        (equal("folded", vec![text("open"), text("new"), text("done")]), "by_folded"),
        (equal("price", vec![Scalar::Decimal("1.5".to_owned())]), "by_price"),
    ] {
        let plan = selected("number", &Selection::Filter(vec![term]), None);
        assert!(plan.contains("SEARCH main.number USING") && plan.contains(&format!("INDEX {index} (")), "{plan}");
    }
}
