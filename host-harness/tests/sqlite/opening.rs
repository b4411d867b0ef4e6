//! Files, connections, configurations that do not fit, and schemas that change.

use std::path::Path;

use deletegate::bridge::sqlite::{OpenError, Sqlite};
use deletegate::bridge::{Bridge, Failure, Selection};
use deletegate::config::Config;
use futures_executor::block_on;
use rusqlite::Connection;

use crate::support::*;

const TABLE: &str = "CREATE TABLE t (id INTEGER PRIMARY KEY, owner TEXT); INSERT INTO t VALUES (1, 'ana');";

#[test]
fn a_missing_file_is_not_made() {
    let folder = tempfile::tempdir().unwrap();
    for name in ["none.db", "file:none.db?mode=memory", ":memory:"] {
        let path = folder.path().join(name);
        let error = Sqlite::open(&path, &Config::default()).err().unwrap();
        assert!(matches!(error, OpenError::Missing { .. }), "{error}");
        assert!(error.to_string().contains(name));
        assert!(!path.exists());
    }
    assert!(matches!(Sqlite::open(folder.path(), &Config::default()).err(), Some(OpenError::NoFile { .. })));
}

#[test]
fn a_file_that_is_no_database_is_called_so() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("notes.txt");
    std::fs::write(&path, "Call back on Monday. ".repeat(100)).unwrap();
    let error = Sqlite::open(&path, &Config::default()).err().unwrap();
    assert!(matches!(error, OpenError::NoDatabase { .. }), "{error}");
    assert!(error.to_string().ends_with("notes.txt is no SQLite database"), "{error}");
    // An empty file is a database without tables.
    std::fs::write(&path, "").unwrap();
    assert_eq!(Sqlite::open(&path, &Config::default()).unwrap().objects().unwrap(), Vec::<String>::new());
}

#[test]
fn a_connection_that_cannot_enforce_foreign_keys_is_refused() {
    let connection = Connection::open_in_memory().unwrap();
    connection.execute_batch("PRAGMA foreign_keys = OFF; BEGIN").unwrap();
    assert!(matches!(Sqlite::from_connection(connection, &Config::default()).err(), Some(OpenError::ForeignKeys)));
}

fn opened(config: &str) -> Result<Sqlite, String> {
    let connection = Connection::open_in_memory().unwrap();
    connection.execute_batch(TABLE).unwrap();
    connection.execute_batch("CREATE TABLE keyless (a TEXT)").unwrap();
    Sqlite::from_connection(connection, &Config::parse(config, Path::new("")).unwrap())
        .map_err(|error| error.to_string())
}

#[test]
fn a_configuration_must_fit_the_tables() {
    let cases = [
        ("[objects.tt]", "[objects.tt]: the database has no table `tt`. Did you mean `t`?"),
        ("[objects.T]", "[objects.T]: the database has no table `T`. Did you mean `t`?"),
        ("[objects.keyless]", "no primary key"),
        ("[objects.t]\nlabel = \"ownr\"", "[objects.t] label: the table has no column `ownr`. Did you mean `owner`?"),
        ("[objects.t]\nrevision = \"v\"", "[objects.t] revision: the table has no column `v`."),
        ("[objects.t]\nscope = [\"v\"]", "[objects.t] scope: the table has no column `v`."),
        ("[objects.t]\nfields = { v = \"text\" }", "[objects.t] fields: the table has no column `v`."),
        ("[objects.t]\nfields = { id = \"opaque\" }", "no primary key"),
        ("[objects.t]\nvisible = \"ownr = :actor\"", "no such column: ownr"),
        // SQLite alone would take the quoted name for a text, and show nobody's record to anybody.
        ("[objects.t]\nvisible = '\"ownr\" <> :actor'", "no such column"),
        ("[objects.t]\nvisible = \"owner = :user\"", "`:user` is no parameter; allowed is `:actor`"),
        ("[objects.t]\nvisible = \"owner = ?\"", "`?` is no parameter"),
        ("[objects.t]\nvisible = \"owner = ?1\"", "`?1` is no parameter"),
        ("[objects.t]\nvisible = \"owner = :actor) OR (1 = 1\"", "is no SQL condition"),
        ("[objects.t]\nvisible = \"owner = :actor ORDER BY 1\"", "is no SQL condition"),
        ("[objects.t]\nvisible = \"1; DELETE FROM t\"", "is no SQL condition"),
        ("[objects.t]\nremovable = \"owner == \"", "[objects.t] removable: `owner == ` is no SQL condition"),
        ("[objects.t]\nvisible = \"count(*) > 0\"", "is no SQL condition"),
        ("[objects.t]\nvisible = \"/* owner = :actor\"", "is no SQL condition"),
    ];
    for (config, expected) in cases {
        let error = opened(config).err().unwrap_or_else(|| panic!("accepted: {config}"));
        assert!(error.contains(expected), "{config}\n{error}");
    }
    assert!(opened("[objects.t]\nvisible = \"owner = :actor -- theirs\"").is_ok());
}

#[test]
fn a_changed_schema_is_read_again_and_never_served_without_its_rules() {
    let (_folder, path) = file(TABLE);
    let config = Config::parse("[objects.t]\nvisible = \"owner = :actor\"", Path::new("")).unwrap();
    let sqlite = Sqlite::open(&path, &config).unwrap();
    let other = Connection::open(&path).unwrap();
    let mut ana = user(&sqlite, "ana");
    assert_eq!(every(&mut ana, "t").len(), 1);
    other.execute_batch("CREATE TABLE later (id INTEGER PRIMARY KEY); ALTER TABLE t ADD COLUMN note TEXT").unwrap();
    assert_eq!(sqlite.objects().unwrap(), ["later", "t"]);
    assert_eq!(block_on(ana.resolve_principal("t")).unwrap().access.unwrap().fields.len(), 3);
    other.execute_batch("ALTER TABLE t RENAME COLUMN owner TO holder").unwrap();
    for _ in 0..2 {
        let answer = page(&mut ana, "t", &Selection::Every, None, 5);
        assert!(matches!(answer, Err(Failure::Faulted(_))), "{answer:?}");
        assert!(matches!(remove(&mut ana, "t", &[int(1)]), Err(Failure::Faulted(_))));
    }
    other.execute_batch("ALTER TABLE t RENAME COLUMN holder TO owner").unwrap();
    assert_eq!(every(&mut ana, "t").len(), 1);
}

#[test]
fn bridges_run_beside_each_other() {
    let (_folder, path) = file(
        "CREATE TABLE t (id INTEGER PRIMARY KEY);
         WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 100) INSERT INTO t SELECT i FROM n;",
    );
    let sqlite = Sqlite::open(&path, &Config::default()).unwrap();
    std::thread::scope(|scope| {
        for thread in 0..4 {
            let mut bridge = system(&sqlite);
            scope.spawn(move || {
                for id in (1..=100).filter(|id| id % 4 == thread) {
                    assert_eq!(remove(&mut bridge, "t", &[int(id)]).unwrap(), deletegate::bridge::Removal::Removed);
                }
            });
        }
    });
    assert_eq!(every(&mut system(&sqlite), "t").len(), 0);
}

#[test]
fn tables_that_cannot_be_used_leave_the_others_alone() {
    let (_folder, path) = file(&format!(
        "{TABLE}
         CREATE VIEW broken AS SELECT a FROM nowhere;
         CREATE TABLE collated (id INTEGER PRIMARY KEY, c TEXT);
         CREATE TABLE parent (a INTEGER, b INTEGER);
         CREATE TABLE mismatched (id INTEGER PRIMARY KEY, a INTEGER REFERENCES parent (a), t INTEGER REFERENCES t (owner));
         CREATE TRIGGER useless AFTER INSERT ON collated BEGIN SELECT no_such_function(); END;
         PRAGMA foreign_keys = OFF;
         INSERT INTO mismatched (id) VALUES (1);
         PRAGMA writable_schema = ON;
         INSERT INTO sqlite_schema (type, name, tbl_name, rootpage, sql)
             VALUES ('table', 'foreign_module', 'foreign_module', 0, 'CREATE VIRTUAL TABLE foreign_module USING no_such_module(a)');
         UPDATE sqlite_schema SET sql = replace(sql, 'c TEXT', 'c TEXT COLLATE no_such_collation') WHERE name = 'collated';"
    ));
    let sqlite = Sqlite::open(&path, &Config::default()).unwrap();
    assert_eq!(sqlite.objects().unwrap(), ["collated", "mismatched", "t"]);
    let mut bridge = system(&sqlite);
    assert_eq!(every(&mut bridge, "mismatched").len(), 1);
    assert_eq!(every(&mut bridge, "t").len(), 1);
    // A key that points at nothing unique makes every removal an error of the engine's, on both of its sides.
    assert!(matches!(remove(&mut bridge, "t", &[int(1)]), Err(Failure::Faulted(_))));
    assert!(matches!(remove(&mut bridge, "mismatched", &[int(1)]), Err(Failure::Faulted(_))));
    assert_eq!(every(&mut bridge, "collated").len(), 0);
}
