//! Removals: what the rules of a database say, and what is said about it.

use deletegate::bridge::{Bridge, Failure, Removal, Selection};

use crate::support::*;

/// A table with a delete trigger for the record 1.
fn with_trigger(body: &str) -> Db {
    database(&format!(
        "CREATE TABLE t (id integer PRIMARY KEY, c text); INSERT INTO t VALUES (1, 'secret'), (2, 'x');
         CREATE TABLE log (id integer PRIMARY KEY);
         CREATE FUNCTION judge() RETURNS trigger LANGUAGE plpgsql AS $judge$ BEGIN {body} END $judge$;
         CREATE TRIGGER judge BEFORE DELETE ON t FOR EACH ROW WHEN (OLD.id = 1) EXECUTE FUNCTION judge();"
    ))
}

#[test]
fn a_triggers_sentence_is_relayed() {
    for (body, code, status, reason) in [
        ("RAISE 'RECORD_LOCKED 409: the period is closed';", "RECORD_LOCKED", 409, "the period is closed"),
        (
            "RAISE EXCEPTION 'NOT_YOURS 403: ask %', 'ana' USING HINT = 'hidden', DETAIL = OLD.c;",
            "NOT_YOURS",
            403,
            "ask ana",
        ),
        ("RAISE 'the period is closed';", "RULE_REFUSED", 409, "the period is closed"),
        ("RAISE E'line\\ntwo';", "RULE_REFUSED", 409, "line two"),
        ("RAISE 'E 500: no';", "RULE_REFUSED", 409, "E 500: no"),
        ("INSERT INTO log VALUES (1); RAISE 'A 400: b';", "A", 400, "b"),
        ("ASSERT FALSE, 'secret';", "RULE_REFUSED", 409, "A rule of the database keeps this record."),
    ] {
        let db = with_trigger(body);
        let postgres = db.serve();
        let mut bridge = system(&postgres);
        for _ in 0..2 {
            let refusal = refusal(remove(&mut bridge, "t", &[int(1)]));
            assert_eq!((refusal.code.as_str(), refusal.status, refusal.reason.as_str()), (code, status, reason));
            assert!(!refusal.retryable);
        }
        // Nothing of it lasts, and the next record is its own transaction (case B26).
        assert_eq!(db.column("SELECT count(*) FROM log"), ["0"], "{body}");
        assert_eq!(remove(&mut bridge, "t", &[int(2)]).unwrap(), Removal::Removed, "{body}");
        assert_eq!(every(&mut bridge, "t"), [[int(1)]]);
    }
}

#[test]
fn a_trigger_that_keeps_the_record_keeps_it() {
    let db = with_trigger("UPDATE t SET c = 'gone' WHERE id = OLD.id; RETURN NULL;");
    assert_eq!(remove(&mut system(&db.serve()), "t", &[int(1)]).unwrap(), Removal::Kept);
    // What the trigger did instead lasts.
    assert_eq!(db.column("SELECT c FROM t WHERE id = 1"), ["gone"]);
}

#[test]
fn a_trigger_that_removes_the_record_itself_has_removed_it() {
    let db = with_trigger("DELETE FROM t WHERE id = OLD.id AND pg_trigger_depth() < 2; RETURN NULL;");
    db.run(
        "CREATE OR REPLACE FUNCTION judge() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
        IF pg_trigger_depth() > 1 THEN RETURN OLD; END IF; DELETE FROM t WHERE id = OLD.id; RETURN NULL; END $$",
    );
    assert_eq!(remove(&mut system(&db.serve()), "t", &[int(1)]).unwrap(), Removal::Removed);
    assert_eq!(db.column("SELECT id FROM t"), ["2"]);
}

#[test]
fn rules_that_rewrite_a_removal_are_counted_by_what_they_did() {
    let db = database(
        "CREATE TABLE t (id integer PRIMARY KEY, gone boolean); INSERT INTO t VALUES (1, FALSE), (2, FALSE);
         CREATE RULE soft AS ON DELETE TO t WHERE OLD.id = 1 DO INSTEAD UPDATE t SET gone = TRUE WHERE id = OLD.id;",
    );
    let postgres = db.serve();
    assert_eq!(remove(&mut system(&postgres), "t", &[int(1)]).unwrap(), Removal::Kept);
    assert_eq!(remove(&mut system(&postgres), "t", &[int(2)]).unwrap(), Removal::Removed);
    assert_eq!(db.column("SELECT id FROM t WHERE gone"), ["1"]);
}

#[test]
fn foreign_keys_restrict_without_naming_what_depends() {
    for (action, deferred) in [
        ("", ""),
        ("ON DELETE RESTRICT", ""),
        ("ON DELETE NO ACTION", "DEFERRABLE INITIALLY DEFERRED"),
        ("ON DELETE RESTRICT", "DEFERRABLE INITIALLY DEFERRED"),
        ("ON DELETE SET DEFAULT", ""),
        ("ON DELETE SET DEFAULT", "DEFERRABLE INITIALLY DEFERRED"),
    ] {
        let db = database(&format!(
            "CREATE TABLE project (id integer PRIMARY KEY); INSERT INTO project VALUES (1), (2);
             CREATE TABLE secret_task (id integer PRIMARY KEY, project integer DEFAULT 9 REFERENCES project {action} {deferred});
             INSERT INTO secret_task VALUES (1, 1);"
        ));
        let postgres = db.serve();
        let mut bridge = system(&postgres);
        for _ in 0..2 {
            let refusal = refusal(remove(&mut bridge, "project", &[int(1)]));
            assert_eq!((refusal.code.as_str(), refusal.status), ("DELETE_RESTRICTED", 409), "{action} {deferred}");
            assert_eq!(refusal.reason, "Other records depend on this one.");
            assert!(!refusal.retryable);
        }
        assert_eq!(remove(&mut bridge, "project", &[int(2)]).unwrap(), Removal::Removed);
        assert_eq!(db.column("SELECT id FROM project"), ["1"]);
        assert_eq!(remove(&mut bridge, "secret_task", &[int(1)]).unwrap(), Removal::Removed);
        assert_eq!(remove(&mut bridge, "project", &[int(1)]).unwrap(), Removal::Removed);
    }
}

/// What is judged as the transaction ends is judged for this record alone.
#[test]
fn a_rule_that_waits_for_the_end_refuses_too() {
    let db = with_trigger("RETURN OLD;");
    db.run(
        "CREATE FUNCTION late() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE 'TOO_LATE 423: no'; END $$;
         CREATE CONSTRAINT TRIGGER late AFTER DELETE ON t DEFERRABLE INITIALLY DEFERRED FOR EACH ROW WHEN (OLD.id = 1) EXECUTE FUNCTION late()",
    );
    let postgres = db.serve();
    assert_eq!(code(remove(&mut system(&postgres), "t", &[int(1)])), ("TOO_LATE".to_owned(), 423));
    assert_eq!(remove(&mut system(&postgres), "t", &[int(2)]).unwrap(), Removal::Removed);
    assert_eq!(db.column("SELECT id FROM t"), ["1"]);
}

#[test]
fn other_constraints_are_refused_without_their_text() {
    for child in [
        "integer NOT NULL REFERENCES p ON DELETE SET NULL",
        "integer CHECK (p IS NOT NULL) REFERENCES p ON DELETE SET NULL",
    ] {
        let db = database(&format!(
            "CREATE TABLE p (id integer PRIMARY KEY); CREATE TABLE hidden (id integer PRIMARY KEY, p {child});
             INSERT INTO p VALUES (1); INSERT INTO hidden VALUES (1, 1);"
        ));
        let refusal = refusal(remove(&mut system(&db.serve()), "p", &[int(1)]));
        assert_eq!((refusal.code.as_str(), refusal.status), ("CONSTRAINT_VIOLATED", 409));
        assert!(!refusal.reason.contains("hidden"), "{}", refusal.reason);
    }
    let db = with_trigger("INSERT INTO log VALUES (1), (1); RETURN OLD;");
    assert_eq!(code(remove(&mut system(&db.serve()), "t", &[int(1)])).0, "CONSTRAINT_VIOLATED");
}

#[test]
fn any_other_text_of_the_engine_stays_inside() {
    for body in [
        "INSERT INTO secret_table VALUES (1); RETURN OLD;",
        "RETURN 1 / (OLD.id - 1);",
        "PERFORM OLD.c::integer; RETURN OLD;",
    ] {
        let db = with_trigger(body);
        let postgres = db.serve();
        match remove(&mut system(&postgres), "t", &[int(1)]) {
            Err(Failure::Faulted(sentence)) => assert_eq!(sentence, "The database failed.", "{body}"),
            other => panic!("{body}: {other:?}"),
        }
        // The connection goes on.
        assert_eq!(every(&mut system(&postgres), "t").len(), 2);
    }
}

#[test]
fn a_database_that_takes_no_changes_says_so() {
    let db = with_trigger("RETURN OLD;");
    db.run(&format!("ALTER DATABASE {} SET default_transaction_read_only = on", db.name));
    let refusal = refusal(remove(&mut system(&db.serve()), "t", &[int(2)]));
    assert_eq!(
        (refusal.code.as_str(), refusal.reason.as_str()),
        ("PERMISSION_DENIED", "The host may not change this database.")
    );
}

#[test]
fn a_record_that_has_changed_stays() {
    let db = database(
        "CREATE TABLE t (id integer PRIMARY KEY, c text, version integer); INSERT INTO t VALUES (1, 'a', 1), (2, 'b', 1), (3, 'c', NULL)",
    );
    for config in ["", "[objects.t]\nrevision = \"version\""] {
        let postgres = db.configured("postgres", config).unwrap();
        let mut bridge = system(&postgres);
        let revisions: Vec<String> =
            rows(&mut bridge, "t", &Selection::Every).into_iter().map(|row| row.revision.unwrap()).collect();
        db.run("UPDATE t SET c = c || '!', version = version + 1 WHERE id IN (1, 3)");
        for (id, revision) in [(1, &revisions[0]), (3, &revisions[2])] {
            let answer = wait(bridge.remove("t", &[int(id)], Some(revision))).unwrap();
            assert_eq!(answer, Removal::Changed, "{config} {id}");
        }
        assert_eq!(wait(bridge.remove("t", &[int(9)], Some("1"))).unwrap(), Removal::Absent);
        assert_eq!(db.column("SELECT count(*) FROM t"), ["3"]);
        assert_eq!(wait(bridge.remove("t", &[int(2)], Some(&revisions[1]))).unwrap(), Removal::Removed);
        db.run("INSERT INTO t VALUES (2, 'b', 1)");
    }
}

/// Whoever changes the record while its removal waits for them is not run over.
#[test]
fn a_change_that_comes_in_between_is_seen() {
    let db = database("CREATE TABLE t (id integer PRIMARY KEY, c text); INSERT INTO t VALUES (1, 'a')");
    let postgres = db.serve();
    let mut bridge = system(&postgres);
    let revision = rows(&mut bridge, "t", &Selection::Every).remove(0).revision.unwrap();
    db.run("BEGIN; UPDATE t SET c = 'b' WHERE id = 1");
    let removing = std::thread::spawn(move || wait(bridge.remove("t", &[int(1)], Some(&revision))));
    until_somebody_waits(&db);
    db.run("COMMIT");
    assert_eq!(removing.join().unwrap().unwrap(), Removal::Changed);
    assert_eq!(db.column("SELECT c FROM t"), ["b"]);
}

/// What is kept between two removals is the tables', the caller's and the connection's, and never the record's.
#[test]
fn one_bridge_removes_from_several_tables_over_several_connections() {
    let db = database(
        "CREATE TABLE n (id integer PRIMARY KEY, owner text); CREATE TABLE t (id text PRIMARY KEY, at timestamptz);
         CREATE TABLE p (at timestamptz, id integer, PRIMARY KEY (at, id)); CREATE TABLE marked (id integer PRIMARY KEY, gone timestamptz);
         INSERT INTO n SELECT i, CASE WHEN i < 7 THEN 'ana' ELSE 'bo' END FROM generate_series(1, 8) AS i;
         INSERT INTO t SELECT i FROM generate_series(1, 8) AS i; INSERT INTO marked SELECT i FROM generate_series(1, 8) AS i;
         INSERT INTO p SELECT to_timestamp(i), i FROM generate_series(1, 8) AS i;",
    );
    let config = "[objects.n]\nvisible = \"owner = :actor\"\nremovable = \"id <> 5 OR :actor = 'bo'\"\n[objects.marked]\nsoft-delete = \"gone\"";
    let postgres = db.configured("postgres", config).unwrap();
    let mut bridge = user(&postgres, "ana");
    let revisions: Vec<String> =
        rows(&mut bridge, "n", &Selection::Every).into_iter().map(|row| row.revision.unwrap()).collect();
    for id in 1..=8 {
        // Every other one with a revision, and the last of those with another record's.
        let place = usize::try_from(id).unwrap() - 1;
        let revision = (id % 2 == 0).then(|| if id == 6 { "0" } else { revisions[place.min(5)].as_str() });
        let expected = match id {
            5 => Err("PERMISSION_DENIED".to_owned()),
            6 => Ok(Removal::Changed),
            7 | 8 => Ok(Removal::Absent),
            _ => Ok(Removal::Removed),
        };
        let answer = wait(bridge.remove("n", &[int(id)], revision)).map_err(|failure| match failure {
            Failure::Refused(refusal) => refusal.code,
            other => panic!("{other:?}"),
        });
        assert_eq!(answer, expected, "{id}");
        assert_eq!(remove(&mut bridge, "t", &[text(&id.to_string())]).unwrap(), Removal::Removed, "{id}");
        assert_eq!(remove(&mut bridge, "p", &[at(id, 0), int(id)]).unwrap(), Removal::Removed, "{id}");
        assert_eq!(remove(&mut bridge, "p", &[at(id, 0), int(id)]).unwrap(), Removal::Absent, "{id}");
        assert_eq!(remove(&mut bridge, "marked", &[int(id)]).unwrap(), Removal::Removed, "{id}");
        let left = |table: &str| db.column(&format!("SELECT id FROM {table} ORDER BY id")).len();
        let place = usize::try_from(8 - id).unwrap();
        assert_eq!((left("t"), left("p"), left("marked WHERE gone IS NULL")), (place, place, place), "{id}");
        if id == 4 {
            // What was prepared goes with its connection.
            db.run("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()");
            std::thread::sleep(std::time::Duration::from_millis(100));
        }
    }
    assert_eq!(db.column("SELECT id FROM n ORDER BY id"), ["5", "6", "7", "8"]);
}

/// The tables change while a call goes on: another call reads them anew, and the first goes on with those.
#[test]
fn tables_that_change_between_two_removals_are_those_that_are_there() {
    let db =
        database("CREATE TABLE t (id integer PRIMARY KEY, c text); INSERT INTO t VALUES (1, 'a'), (2, 'b'), (3, 'c')");
    let postgres = db.configured("postgres", "[postgres]\npool-size = 1").unwrap();
    let mut bridge = user(&postgres, "ana");
    assert_eq!(remove(&mut bridge, "t", &[int(1)]).unwrap(), Removal::Removed);
    db.run("ALTER TABLE t RENAME id TO number");
    assert_eq!(every(&mut user(&postgres, "bo"), "t").len(), 2);
    assert_eq!(remove(&mut bridge, "t", &[int(2)]).unwrap(), Removal::Removed);
    assert_eq!(db.column("SELECT number FROM t"), ["3"]);
}
