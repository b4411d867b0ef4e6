//! An object whose records are marked as gone in place of being deleted.

use deletegate::bridge::{Bridge, Removal, Selection};
use futures_executor::block_on;
use rusqlite::Connection;

use crate::support::*;

#[test]
fn a_removal_sets_the_mark_and_the_record_is_gone_for_every_caller() {
    for (type_, fields, mark) in [
        ("TIMESTAMP", "", "abs(unixepoch(deleted_at) - unixepoch()) < 3600 AND deleted_at LIKE '____-__-__T__:__:__Z'"),
        ("INTEGER", "fields = { deleted_at = \"instant\" }", "abs(deleted_at - unixepoch()) < 3600"),
        ("DATE", "", "deleted_at LIKE '____-__-__'"),
        ("BOOLEAN NOT NULL DEFAULT 0", "", "deleted_at = 1"),
    ] {
        let (_folder, path) = file(&format!(
            "CREATE TABLE t (id INTEGER PRIMARY KEY, name TEXT, deleted_at {type_}); INSERT INTO t (id, name) VALUES (1, 'a'), (2, 'b');
             CREATE TABLE child (id INTEGER PRIMARY KEY, t INTEGER REFERENCES t); INSERT INTO child VALUES (1, 1);"
        ));
        let config = format!("[objects.t]\nsoft-delete = \"deleted_at\"\n{fields}");
        let config = deletegate::config::Config::parse(&config, std::path::Path::new("")).unwrap();
        let sqlite = deletegate::bridge::sqlite::Sqlite::open(&path, &config).unwrap();
        let mut bridge = system(&sqlite);
        let access = block_on(bridge.resolve_principal("t")).unwrap().access.unwrap();
        assert!(access.reversible);
        assert_eq!(access.fields.iter().map(|field| field.name.as_str()).collect::<Vec<_>>(), ["id", "name"]);
        assert_eq!(dependents(&mut bridge, "t", &[vec![int(1)]]), Some(Vec::new()), "{type_}");
        assert_eq!(remove(&mut bridge, "t", &[int(1)]).unwrap(), Removal::Removed, "{type_}");
        let other = Connection::open(&path).unwrap();
        let first = |sql: &str| other.query_row(sql, [], |row| row.get::<_, rusqlite::types::Value>(0)).unwrap();
        assert_eq!(first(&format!("SELECT group_concat(id) FROM t WHERE {mark}")), "1".to_owned().into(), "{type_}");
        let marked = first("SELECT deleted_at FROM t WHERE id = 1");
        assert_eq!(every(&mut bridge, "t"), [[int(2)]]);
        // Not twice, and its first time stays (case B44).
        assert_eq!(remove(&mut bridge, "t", &[int(1)]).unwrap(), Removal::Absent, "{type_}");
        assert_eq!(first("SELECT deleted_at FROM t WHERE id = 1"), marked);
        let filter = Selection::Filter(is("deleted_at", deletegate::bridge::Comparison::IsNull, []));
        assert_eq!(code(page(&mut bridge, "t", &filter, None, 5)).0, "INVALID_FIELD");
    }
}

#[test]
fn rules_judge_the_mark_and_a_column_that_can_hold_none_is_refused() {
    let tables = "CREATE TABLE t (id INTEGER PRIMARY KEY, name TEXT, deleted_at TIMESTAMP); INSERT INTO t (id) VALUES (1), (2), (3);
        CREATE TRIGGER judge BEFORE UPDATE OF deleted_at ON t BEGIN
            SELECT CASE OLD.id WHEN 1 THEN RAISE(ABORT, 'LOCKED 423: no') WHEN 2 THEN RAISE(IGNORE) END; END;";
    let sqlite = configured(tables, "[objects.t]\nsoft-delete = \"deleted_at\"");
    let mut bridge = system(&sqlite);
    assert_eq!(code(remove(&mut bridge, "t", &[int(1)])), ("LOCKED".to_owned(), 423));
    assert_eq!(remove(&mut bridge, "t", &[int(2)]).unwrap(), Removal::Kept);
    assert_eq!(remove(&mut bridge, "t", &[int(3)]).unwrap(), Removal::Removed);
    assert_eq!(every(&mut bridge, "t"), [[int(1)], [int(2)]]);
    for column in ["name", "id", "nothing"] {
        let config = format!("[objects.t]\nsoft-delete = \"{column}\"");
        let config = deletegate::config::Config::parse(&config, std::path::Path::new("")).unwrap();
        let connection = Connection::open_in_memory().unwrap();
        connection.execute_batch(tables).unwrap();
        let error = deletegate::bridge::sqlite::Sqlite::from_connection(connection, &config).map(drop).unwrap_err();
        assert!(error.to_string().contains(&format!("`{column}`")), "{error}");
    }
}
