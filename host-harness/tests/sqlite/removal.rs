//! Removals: what the rules of a database say, and what is said about it.

use deletegate::bridge::{Bridge, Failure, Removal, Selection};
use futures_executor::block_on;

use crate::support::*;

/// A table with a delete trigger.
fn with_trigger(body: &str) -> deletegate::bridge::sqlite::Sqlite {
    serve(&format!(
        "CREATE TABLE t (id INTEGER PRIMARY KEY, c TEXT); INSERT INTO t VALUES (1, 'secret'), (2, 'x');
         CREATE TABLE log (id INTEGER PRIMARY KEY);
         CREATE TRIGGER judge BEFORE DELETE ON t WHEN OLD.id = 1 BEGIN {body} END;"
    ))
}

#[test]
fn a_triggers_sentence_is_relayed() {
    let cases = [
        (
            "SELECT RAISE(ABORT, 'RECORD_LOCKED 409: the period is closed');",
            "RECORD_LOCKED",
            409,
            "the period is closed",
        ),
        ("SELECT RAISE(FAIL, 'NOT_YOURS 403: ask ana');", "NOT_YOURS", 403, "ask ana"),
        ("SELECT RAISE(ROLLBACK, 'the period is closed');", "RULE_REFUSED", 409, "the period is closed"),
        ("SELECT RAISE(ABORT, 'line' || char(10) || 'two');", "RULE_REFUSED", 409, "line two"),
        ("SELECT RAISE(ABORT, 'E 500: no');", "RULE_REFUSED", 409, "E 500: no"),
        ("INSERT INTO log VALUES (1); SELECT RAISE(FAIL, 'A 400: b');", "A", 400, "b"),
    ];
    for (body, code, status, reason) in cases {
        let sqlite = with_trigger(body);
        let mut bridge = system(&sqlite);
        for _ in 0..2 {
            let refusal = refusal(remove(&mut bridge, "t", &[int(1)]));
            assert_eq!((refusal.code.as_str(), refusal.status, refusal.reason.as_str()), (code, status, reason));
            assert!(!refusal.retryable);
        }
        // Nothing of it lasts, and the next record is its own transaction.
        assert_eq!(every(&mut bridge, "log").len(), 0, "{body}");
        assert_eq!(remove(&mut bridge, "t", &[int(2)]).unwrap(), Removal::Removed, "{body}");
        assert_eq!(every(&mut bridge, "t"), [[int(1)]]);
    }
}

#[test]
fn a_trigger_that_keeps_the_record_keeps_it() {
    for when in ["BEFORE DELETE ON t", "BEFORE DELETE ON t WHEN OLD.id = 1"] {
        let sqlite = serve(&format!(
            "CREATE TABLE t (id INTEGER PRIMARY KEY, gone INTEGER); INSERT INTO t VALUES (1, 0);
             CREATE TRIGGER soft {when} BEGIN UPDATE t SET gone = 1 WHERE id = OLD.id; SELECT RAISE(IGNORE); END;"
        ));
        let mut bridge = system(&sqlite);
        assert_eq!(remove(&mut bridge, "t", &[int(1)]).unwrap(), Removal::Kept);
        // What the trigger did instead lasts.
        assert_eq!(numbers(&sqlite, "t", is("gone", deletegate::bridge::Comparison::Equal, [int(1)])), [1]);
    }
}

#[test]
fn a_trigger_that_removes_the_record_itself_has_removed_it() {
    let sqlite = serve(
        "CREATE TABLE t (id INTEGER PRIMARY KEY); INSERT INTO t VALUES (1);
         CREATE TRIGGER itself BEFORE DELETE ON t BEGIN DELETE FROM t WHERE id = OLD.id; END;",
    );
    assert_eq!(remove(&mut system(&sqlite), "t", &[int(1)]).unwrap(), Removal::Removed);
    assert_eq!(every(&mut system(&sqlite), "t").len(), 0);
}

#[test]
fn foreign_keys_restrict_without_naming_what_depends() {
    for (action, deferred) in [
        ("", ""),
        ("ON DELETE RESTRICT", ""),
        ("ON DELETE NO ACTION", "DEFERRABLE INITIALLY DEFERRED"),
        ("ON DELETE RESTRICT", "DEFERRABLE INITIALLY DEFERRED"),
        ("ON DELETE SET DEFAULT", ""),
    ] {
        let sqlite = serve(&format!(
            "PRAGMA foreign_keys = OFF; CREATE TABLE project (id INTEGER PRIMARY KEY);
             CREATE TABLE secret_task (id INTEGER PRIMARY KEY, project INTEGER DEFAULT 9 REFERENCES project {action} {deferred});
             INSERT INTO project VALUES (1), (2); INSERT INTO secret_task VALUES (1, 1);"
        ));
        let mut bridge = system(&sqlite);
        for _ in 0..2 {
            let refusal = refusal(remove(&mut bridge, "project", &[int(1)]));
            assert_eq!((refusal.code.as_str(), refusal.status), ("DELETE_RESTRICTED", 409), "{action} {deferred}");
            assert_eq!(refusal.reason, "Other records depend on this one.");
        }
        assert_eq!(remove(&mut bridge, "project", &[int(2)]).unwrap(), Removal::Removed);
        assert_eq!(every(&mut bridge, "project"), [[int(1)]]);
        assert_eq!(remove(&mut bridge, "secret_task", &[int(1)]).unwrap(), Removal::Removed);
        assert_eq!(remove(&mut bridge, "project", &[int(1)]).unwrap(), Removal::Removed);
    }
}

/// Case B28: a fresh connection, a second bridge, a second database handle.
#[test]
fn foreign_keys_hold_on_every_connection() {
    let (_folder, path) = file(
        "PRAGMA foreign_keys = OFF;
         CREATE TABLE project (id INTEGER PRIMARY KEY);
         CREATE TABLE task (id INTEGER PRIMARY KEY, project INTEGER REFERENCES project ON DELETE RESTRICT);
         CREATE TABLE comment (id INTEGER PRIMARY KEY, project INTEGER REFERENCES project ON DELETE CASCADE);
         INSERT INTO project VALUES (1); INSERT INTO task VALUES (1, 1); INSERT INTO comment VALUES (1, 1), (2, 1), (3, 1);",
    );
    for _ in 0..2 {
        let sqlite = deletegate::bridge::sqlite::Sqlite::open(&path, &Default::default()).unwrap();
        for _ in 0..2 {
            assert_eq!(code(remove(&mut system(&sqlite), "project", &[int(1)])).0, "DELETE_RESTRICTED");
            assert_eq!(every(&mut system(&sqlite), "comment").len(), 3);
        }
    }
    let sqlite = deletegate::bridge::sqlite::Sqlite::open(&path, &Default::default()).unwrap();
    let mut bridge = system(&sqlite);
    assert_eq!(remove(&mut bridge, "task", &[int(1)]).unwrap(), Removal::Removed);
    assert_eq!(remove(&mut bridge, "project", &[int(1)]).unwrap(), Removal::Removed);
    assert_eq!(every(&mut bridge, "comment").len(), 0);
}

#[test]
fn other_constraints_are_refused_without_their_text() {
    for child in ["NOT NULL REFERENCES p ON DELETE SET NULL", "CHECK (p IS NOT NULL) REFERENCES p ON DELETE SET NULL"] {
        let sqlite = serve(&format!(
            "CREATE TABLE p (id INTEGER PRIMARY KEY); CREATE TABLE hidden (id INTEGER PRIMARY KEY, p INTEGER {child});
             INSERT INTO p VALUES (1); INSERT INTO hidden VALUES (1, 1);"
        ));
        let refusal = refusal(remove(&mut system(&sqlite), "p", &[int(1)]));
        assert_eq!((refusal.code.as_str(), refusal.status), ("CONSTRAINT_VIOLATED", 409));
        assert!(
            !refusal.reason.contains("hidden") && !refusal.reason.contains('p'.to_ascii_uppercase()),
            "{}",
            refusal.reason
        );
    }
    let sqlite = with_trigger("INSERT INTO log VALUES (1), (1);");
    assert_eq!(code(remove(&mut system(&sqlite), "t", &[int(1)])).0, "CONSTRAINT_VIOLATED");
}

#[test]
fn any_other_text_of_the_engine_stays_inside() {
    let sqlite = with_trigger("INSERT INTO secret_table VALUES (1);");
    match remove(&mut system(&sqlite), "t", &[int(1)]) {
        Err(Failure::Faulted(sentence)) => assert_eq!(sentence, "The database failed."),
        other => panic!("{other:?}"),
    }
    // The connection goes on.
    assert_eq!(every(&mut system(&sqlite), "t").len(), 2);
    let (_folder, path) = file("CREATE TABLE t (id INTEGER PRIMARY KEY); INSERT INTO t VALUES (1);");
    let mut writable = rusqlite::Connection::open(&path).unwrap();
    writable.pragma_update(None, "query_only", true).unwrap();
    let sqlite = deletegate::bridge::sqlite::Sqlite::from_connection(
        std::mem::replace(&mut writable, rusqlite::Connection::open_in_memory().unwrap()),
        &Default::default(),
    )
    .unwrap();
    assert_eq!(code(remove(&mut system(&sqlite), "t", &[int(1)])), ("PERMISSION_DENIED".to_owned(), 403));
}

#[test]
fn a_damaged_file_is_a_fault() {
    let (_folder, path) = file(
        "PRAGMA page_size = 512; CREATE TABLE t (id INTEGER PRIMARY KEY, c TEXT);
         WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 500) INSERT INTO t SELECT i, printf('%.99c', 'x') FROM n;",
    );
    let mut bytes = std::fs::read(&path).unwrap();
    let half = bytes.len() / 2;
    bytes[half..].fill(0xff);
    std::fs::write(&path, bytes).unwrap();
    let sqlite = deletegate::bridge::sqlite::Sqlite::open(&path, &Default::default()).unwrap();
    let answer = block_on(
        system(&sqlite)
            .aggregate("t", &Selection::Filter(is("c", deletegate::bridge::Comparison::Contains, [text("y")]))),
    );
    assert!(
        matches!(&answer, Err(Failure::Faulted(sentence)) if sentence == "The database's file is damaged."),
        "{answer:?}"
    );
}

#[test]
fn a_full_text_index_is_kept_in_step_by_its_triggers() {
    let sqlite = serve(
        "CREATE TABLE note (id INTEGER PRIMARY KEY, body TEXT);
         CREATE VIRTUAL TABLE found USING fts5 (body, content = 'note', content_rowid = 'id');
         CREATE TRIGGER add_note AFTER INSERT ON note BEGIN INSERT INTO found (rowid, body) VALUES (NEW.id, NEW.body); END;
         CREATE TRIGGER drop_note AFTER DELETE ON note BEGIN
             INSERT INTO found (found, rowid, body) VALUES ('delete', OLD.id, OLD.body);
         END;
         INSERT INTO note VALUES (1, 'call back'), (2, 'invoice');",
    );
    let mut bridge = system(&sqlite);
    assert_eq!(remove(&mut bridge, "note", &[int(1)]).unwrap(), Removal::Removed);
    assert_eq!(every(&mut bridge, "note"), [[int(2)]]);
}
