//! An object whose records are marked as gone in place of being deleted.

use deletegate::bridge::{Bridge, Removal, Selection};

use crate::support::*;

#[test]
fn a_removal_sets_the_mark_and_the_record_is_gone_for_every_caller() {
    for (type_, mark) in [
        ("timestamptz", "deleted_at IS NOT NULL"),
        ("timestamp", "abs(extract(epoch FROM deleted_at - (now() AT TIME ZONE 'UTC'))) < 3600"),
        ("date", "deleted_at IS NOT NULL"),
        ("boolean NOT NULL DEFAULT FALSE", "deleted_at"),
    ] {
        let db = database(&format!(
            "CREATE TABLE t (id integer PRIMARY KEY, name text, deleted_at {type_}); INSERT INTO t (id, name) VALUES (1, 'a'), (2, 'b');
             CREATE TABLE child (id integer PRIMARY KEY, t integer REFERENCES t); INSERT INTO child VALUES (1, 1);"
        ));
        let postgres = db.configured("postgres", "[objects.t]\nsoft-delete = \"deleted_at\"").unwrap();
        let mut bridge = system(&postgres);
        let access = wait(bridge.resolve_principal("t")).unwrap().access.unwrap();
        assert!(access.reversible);
        assert_eq!(access.fields.iter().map(|field| field.name.as_str()).collect::<Vec<_>>(), ["id", "name"]);
        // Nothing that points at it is touched.
        assert_eq!(dependents(&mut bridge, "t", &[vec![int(1)]]), Some(Vec::new()), "{type_}");
        assert_eq!(remove(&mut bridge, "t", &[int(1)]).unwrap(), Removal::Removed, "{type_}");
        let first = db.column("SELECT deleted_at FROM t WHERE id = 1");
        assert_eq!(db.column(&format!("SELECT id FROM t WHERE {mark}")), ["1"], "{type_}");
        assert_eq!(every(&mut bridge, "t"), [[int(2)]]);
        // Not twice, and its first time stays (case B44).
        assert_eq!(remove(&mut bridge, "t", &[int(1)]).unwrap(), Removal::Absent, "{type_}");
        assert_eq!(db.column("SELECT deleted_at FROM t WHERE id = 1"), first);
        let mark = Selection::Filter(is("deleted_at", deletegate::bridge::Comparison::IsNull, []));
        assert_eq!(code(page(&mut bridge, "t", &mark, None, 5)).0, "INVALID_FIELD");
    }
}

#[test]
fn rules_and_rights_judge_the_mark() {
    roles("CREATE ROLE marker LOGIN");
    let db = database(
        "CREATE TABLE t (id integer PRIMARY KEY, deleted_at timestamptz); INSERT INTO t VALUES (1, NULL), (2, NULL), (3, NULL);
         GRANT SELECT ON t TO marker;
         CREATE FUNCTION judge() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
             IF OLD.id = 1 THEN RAISE 'LOCKED 423: no'; END IF; IF OLD.id = 2 THEN RETURN NULL; END IF; RETURN NEW; END $$;
         CREATE TRIGGER judge BEFORE UPDATE ON t FOR EACH ROW EXECUTE FUNCTION judge();",
    );
    let postgres = db.configured("marker", "[objects.t]\nsoft-delete = \"deleted_at\"").unwrap();
    assert_eq!(code(remove(&mut system(&postgres), "t", &[int(3)])).0, "PERMISSION_DENIED");
    db.run("GRANT UPDATE (deleted_at) ON t TO marker");
    assert_eq!(code(remove(&mut system(&postgres), "t", &[int(1)])), ("LOCKED".to_owned(), 423));
    assert_eq!(remove(&mut system(&postgres), "t", &[int(2)]).unwrap(), Removal::Kept);
    assert_eq!(remove(&mut system(&postgres), "t", &[int(3)]).unwrap(), Removal::Removed);
    assert_eq!(db.column("SELECT id FROM t WHERE deleted_at IS NULL ORDER BY id"), ["1", "2"]);
}

/// The server wants what was updated to be visible to the reading policies, and marked records are not.
#[test]
fn a_policy_that_hides_the_mark_keeps_every_record() {
    roles("CREATE ROLE tagger LOGIN");
    let db = database(
        "CREATE TABLE t (id integer PRIMARY KEY, owner text, deleted_at timestamptz); INSERT INTO t VALUES (1, 'ana', NULL), (2, 'bo', NULL);
         GRANT SELECT, UPDATE (deleted_at) ON t TO tagger; ALTER TABLE t ENABLE ROW LEVEL SECURITY;
         CREATE POLICY own ON t USING (owner = current_setting('app.actor') AND deleted_at IS NULL)",
    );
    let postgres = db.configured("tagger", "[objects.t]\nsoft-delete = \"deleted_at\"").unwrap();
    assert_eq!(code(remove(&mut user(&postgres, "ana"), "t", &[int(1)])).0, "PERMISSION_DENIED");
    assert_eq!(db.column("SELECT id FROM t WHERE deleted_at IS NULL ORDER BY id"), ["1", "2"]);
    db.run("ALTER POLICY own ON t USING (owner = current_setting('app.actor'))");
    assert_eq!(remove(&mut user(&postgres, "ana"), "t", &[int(1)]).unwrap(), Removal::Removed);
    assert_eq!(every(&mut user(&postgres, "ana"), "t").len(), 0);
    assert_eq!(remove(&mut user(&postgres, "ana"), "t", &[int(2)]).unwrap(), Removal::Absent);
}
