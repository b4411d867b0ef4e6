//! Keys of every type: each record is found by the id that it was shown with, and no other goes.

use deletegate::bridge::{Failure, Removal, Scalar, Selection};

use crate::support::*;

const UUID: &str = "0b6dd3e4-3f1c-4d3e-9a51-6f0b8f4a2c11";

/// Removes the records of `t` one after the other by the ids that were read, and looks each time what is left.
fn each_by_its_own_id(db: &Db, count: usize) -> Vec<Vec<Scalar>> {
    let postgres = db.serve();
    let mut bridge = system(&postgres);
    let ids = every(&mut bridge, "t");
    assert_eq!(ids.len(), count);
    assert_eq!(by_ids(&mut bridge, "t", &ids), ids, "all of them, listed");
    // Pages of one, each behind the one before.
    for (at, id) in ids.iter().enumerate() {
        let next = page(&mut bridge, "t", &Selection::Every, Some(id), 1).unwrap();
        assert_eq!(next.rows.first().map(|row| &row.id), ids.get(at + 1));
    }
    for (at, id) in ids.iter().enumerate() {
        assert_eq!(by_ids(&mut bridge, "t", std::slice::from_ref(id)), std::slice::from_ref(id));
        assert_eq!(remove(&mut bridge, "t", id).unwrap(), Removal::Removed, "{id:?}");
        assert_eq!(every(&mut bridge, "t"), ids[at + 1..], "{id:?}");
        assert_eq!(remove(&mut bridge, "t", id).unwrap(), Removal::Absent, "{id:?}");
    }
    ids
}

#[test]
fn every_type_of_key_names_its_own_record() {
    for (type_, values, ids) in [
        ("smallint", "(-32768), (0), (32767)", vec![int(-32768), int(0), int(32767)]),
        ("integer", "(1), (2)", vec![int(1), int(2)]),
        (
            "bigint",
            "(9007199254740992), (9007199254740993), (9223372036854775807)",
            vec![int(9_007_199_254_740_992), int(9_007_199_254_740_993), int(i64::MAX)],
        ),
        (
            "numeric",
            "(1.50), (2), (12345678901234567890.5)",
            vec![decimal("1.5"), int(2), decimal("12345678901234567890.5")],
        ),
        ("numeric(20, 4)", "(0.1), (7)", vec![decimal("0.1"), int(7)]),
        ("text", "(''), ('A'), ('a'), ('a '), ('é'), ('it''s')", ["", "A", "a", "a ", "it's", "é"].map(text).to_vec()),
        ("varchar(5)", "('A'), ('a')", vec![text("A"), text("a")]),
        ("char(3)", "('a'), ('b')", vec![text("a"), text("b")]),
        ("name", "('a'), ('b')", vec![text("a"), text("b")]),
        ("uuid", "('0B6DD3E4-3F1C-4D3E-9A51-6F0B8F4A2C11')", vec![text(UUID)]),
        ("date", "('0001-01-01'), ('2024-02-29')", vec![text("0001-01-01"), text("2024-02-29")]),
        (
            "timestamptz",
            "('1969-12-31 23:59:59.999999+00'), ('2026-03-10 10:30:00+01')",
            vec![at(-1, 999_999_000), at(1_773_135_000, 0)],
        ),
        ("timestamp", "('2026-03-10 09:30:00.5')", vec![at(1_773_135_000, 500_000_000)]),
        ("boolean", "(FALSE), (TRUE)", vec![Scalar::Boolean(false), Scalar::Boolean(true)]),
        // In the order that the database gave it.
        ("mood", "('low'), ('high')", vec![text("low"), text("high")]),
        ("code", "('x'), ('y')", vec![text("x"), text("y")]),
    ] {
        let db = database(&format!(
            "CREATE TYPE mood AS ENUM ('low', 'high'); CREATE DOMAIN code AS varchar(9) CHECK (value <> '');
             CREATE TABLE t (id {type_} PRIMARY KEY); INSERT INTO t VALUES {values}"
        ));
        let expected: Vec<Vec<Scalar>> = ids.into_iter().map(|id| vec![id]).collect();
        assert_eq!(each_by_its_own_id(&db, expected.len()), expected, "{type_}");
    }
}

#[test]
fn composite_keys_are_whole() {
    let db = database(
        "CREATE TABLE t (a text, b integer, c timestamptz, PRIMARY KEY (b, a, c));
         INSERT INTO t VALUES ('W1', 1, '2026-01-01 00:00+00'), ('W1', 2, '2026-01-01 00:00+00'),
             ('W2', 1, '2026-01-01 00:00+00'), ('W2', 1, '2026-01-02 00:00+00')",
    );
    let postgres = db.serve();
    let whole = vec![int(1), text("W1"), at(1_767_225_600, 0)];
    for part in [&whole[..1], &whole[..2], &[whole.clone(), vec![int(1)]].concat()] {
        assert_eq!(remove(&mut system(&postgres), "t", part).unwrap(), Removal::Absent);
        assert!(by_ids(&mut system(&postgres), "t", &[part.to_vec()]).is_empty());
    }
    assert_eq!(each_by_its_own_id(&db, 4)[0], whole);
}

#[test]
fn keys_are_compared_by_bytes_whatever_the_column_says() {
    let db = database(
        "CREATE EXTENSION citext;
         CREATE COLLATION blind (provider = icu, locale = 'und-u-ks-level2', deterministic = FALSE);
         CREATE TABLE t (id citext PRIMARY KEY); INSERT INTO t VALUES ('Ana'), ('bo');
         CREATE TABLE u (id text COLLATE blind PRIMARY KEY); INSERT INTO u VALUES ('Ana'), ('bo');
         CREATE TABLE v (id text COLLATE blind, n integer, PRIMARY KEY (id, n)); INSERT INTO v VALUES ('Ana', 1), ('bo', 1);
         CREATE TABLE w (id char(5) PRIMARY KEY); INSERT INTO w VALUES ('Ana'), ('bo');",
    );
    let postgres = db.serve();
    let mut bridge = system(&postgres);
    for (object, wrong) in [("t", "ana"), ("u", "ana"), ("v", "ana"), ("w", "Ana ")] {
        let id = |name: &str| match object {
            "v" => vec![text(name), int(1)],
            _ => vec![text(name)],
        };
        assert_eq!(remove(&mut bridge, object, &id(wrong)).unwrap(), Removal::Absent, "{object}");
        assert_eq!(by_ids(&mut bridge, object, &[id(wrong), id("bo")]), [id("bo")], "{object}");
        assert_eq!(every(&mut bridge, object).len(), 2);
        assert_eq!(remove(&mut bridge, object, &id("Ana")).unwrap(), Removal::Removed, "{object}");
        assert_eq!(every(&mut bridge, object), [id("bo")], "{object}");
    }
}

#[test]
fn a_key_that_does_not_fit_is_invisible() {
    let db = database(
        "CREATE TABLE a (id timestamptz PRIMARY KEY); INSERT INTO a VALUES ('infinity'), ('-infinity'), ('2026-01-01'), ('0044-03-15 BC');
         CREATE TABLE b (id numeric PRIMARY KEY); INSERT INTO b VALUES ('NaN'), ('Infinity'), (1);
         CREATE TABLE c (id date PRIMARY KEY); INSERT INTO c VALUES ('infinity'), ('2026-01-01'), ('12026-01-01');",
    );
    let postgres = db.serve();
    for object in ["a", "b", "c"] {
        assert_eq!(every(&mut system(&postgres), object).len(), 1, "{object}");
    }
}

#[test]
fn an_id_that_no_record_can_have_is_absent() {
    let db = database(
        "CREATE TYPE mood AS ENUM ('low', 'high');
         CREATE TABLE a (id mood PRIMARY KEY); INSERT INTO a VALUES ('low');
         CREATE TABLE b (id uuid PRIMARY KEY); INSERT INTO b VALUES (gen_random_uuid());
         CREATE TABLE c (id smallint PRIMARY KEY); INSERT INTO c VALUES (1);
         CREATE TABLE d (id date PRIMARY KEY); INSERT INTO d VALUES ('2026-01-01');
         CREATE TABLE e (id timestamptz PRIMARY KEY); INSERT INTO e VALUES ('2026-01-01 00:00+00');",
    );
    let postgres = db.serve();
    let mut bridge = system(&postgres);
    for (object, id) in [
        ("a", text("none")),
        ("a", int(1)),
        ("b", text("no uuid")),
        ("c", int(70_000)),
        ("c", text("1")),
        ("d", text("2026-02-30")),
        ("d", text("now")),
        ("e", at(1_767_225_600, 1)),
    ] {
        assert_eq!(remove(&mut bridge, object, std::slice::from_ref(&id)).unwrap(), Removal::Absent, "{object} {id:?}");
        assert!(by_ids(&mut bridge, object, &[vec![id.clone()]]).is_empty(), "{object} {id:?}");
        assert_eq!(every(&mut bridge, object).len(), 1);
    }
    assert_eq!(code(page(&mut bridge, "a", &Selection::Every, Some(&[text("none")]), 5)).0, "VALIDATION_FAILED");
}

#[test]
fn partitions_are_one_object() {
    let db = database(
        "CREATE TABLE t (id integer, region text, PRIMARY KEY (id, region)) PARTITION BY LIST (region);
         CREATE TABLE t_north PARTITION OF t FOR VALUES IN ('north'); CREATE TABLE t_south PARTITION OF t FOR VALUES IN ('south');
         INSERT INTO t VALUES (1, 'north'), (1, 'south'), (2, 'north');",
    );
    assert_eq!(db.serve().objects(), ["t"]);
    each_by_its_own_id(&db, 3);
}

#[test]
fn tables_that_inherit_are_objects_of_their_own() {
    let db = database(
        "CREATE TABLE t (id integer PRIMARY KEY); CREATE TABLE special (PRIMARY KEY (id)) INHERITS (t);
         INSERT INTO t VALUES (1); INSERT INTO special VALUES (1);",
    );
    let postgres = db.serve();
    let mut bridge = system(&postgres);
    assert_eq!(every(&mut bridge, "t"), [[int(1)]]);
    assert_eq!(remove(&mut bridge, "t", &[int(1)]).unwrap(), Removal::Removed);
    assert_eq!(every(&mut bridge, "special"), [[int(1)]]);
}

/// The index of the key is broken, as after an upgrade of the system's collations: one key, two records.
#[test]
fn two_records_of_one_key_stay() {
    let db = database(
        "CREATE TABLE t (id integer PRIMARY KEY); INSERT INTO t VALUES (1), (2);
         UPDATE pg_index SET indisready = FALSE WHERE indexrelid = 't_pkey'::regclass;",
    );
    // Another session has read nothing of the index yet.
    let other = connect("postgres", &db.name);
    wait(other.batch_execute("INSERT INTO t VALUES (1)")).unwrap();
    db.run("UPDATE pg_index SET indisready = TRUE WHERE indexrelid = 't_pkey'::regclass");
    for way in ["indexscan", "indexonlyscan", "bitmapscan"] {
        db.run(&format!("ALTER DATABASE {} SET enable_{way} = off", db.name));
    }
    let postgres = db.serve();
    let mut bridge = system(&postgres);
    assert_eq!(every(&mut bridge, "t").len(), 3);
    let answer = remove(&mut bridge, "t", &[int(1)]);
    assert!(
        matches!(&answer, Err(Failure::Faulted(sentence)) if sentence == "More than one record has this key."),
        "{answer:?}"
    );
    assert_eq!(every(&mut bridge, "t").len(), 3);
}
