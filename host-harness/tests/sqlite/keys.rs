//! Keys of every kind, and names of every kind.

use deletegate::bridge::{Comparison as C, Failure, Removal, Scalar, Selection};

use crate::support::*;

const UUID: &str = "0b6dd3e4-3f1c-4d3e-9a51-6f0b8f4a2c11";
const OTHER: &str = "f0000000-0000-4000-8000-000000000000";

/// Reads all, reads each by its id, pages through them one by one, and removes each alone.
fn works(sql: &str, object: &str, ids: &[Vec<Scalar>]) {
    works_with(sql, "", object, ids);
}

fn works_with(sql: &str, config: &str, object: &str, ids: &[Vec<Scalar>]) {
    let sqlite = configured(sql, config);
    let mut bridge = system(&sqlite);
    assert_eq!(every(&mut bridge, object), ids, "all of {object}");
    assert_eq!(by_ids(&mut bridge, object, ids), ids, "by id");
    let mut after: Option<Vec<Scalar>> = None;
    for (place, id) in ids.iter().enumerate() {
        assert_eq!(by_ids(&mut bridge, object, std::slice::from_ref(id)), std::slice::from_ref(id));
        let next = page(&mut bridge, object, &Selection::Every, after.as_deref(), 1).unwrap();
        assert_eq!(next.rows[0].id, *id, "behind {after:?}");
        assert_eq!(next.more, place + 1 < ids.len());
        after = Some(id.clone());
    }
    for (place, id) in ids.iter().enumerate() {
        assert_eq!(remove(&mut bridge, object, id).unwrap(), Removal::Removed, "{id:?}");
        assert_eq!(remove(&mut bridge, object, id).unwrap(), Removal::Absent, "{id:?}");
        assert_eq!(every(&mut bridge, object), ids[place + 1..]);
        // Behind a record that is gone comes what came behind it before.
        let next = page(&mut bridge, object, &Selection::Every, Some(id), 10).unwrap();
        assert_eq!(next.rows.len(), ids.len() - place - 1);
    }
}

#[test]
fn keys_of_one_field() {
    works(
        "CREATE TABLE t (id INTEGER PRIMARY KEY); INSERT INTO t VALUES (-1), (7), (10);",
        "t",
        &[-1, 7, 10].map(|id| vec![int(id)]),
    );
    works(
        "CREATE TABLE t (id TEXT PRIMARY KEY); INSERT INTO t VALUES ('b'), ('a'), ('B'), (''), ('a''b'), ('007'), (x'00'), (NULL), (7.5);",
        "t",
        // SQLite has made a text of the number.
        &["", "007", "7.5", "B", "a", "a'b", "b"].map(|id| vec![text(id)]),
    );
    works(
        "CREATE TABLE t (id TEXT PRIMARY KEY COLLATE NOCASE); INSERT INTO t VALUES ('b'), ('A'), ('C');",
        "t",
        &["A", "b", "C"].map(|id| vec![text(id)]),
    );
    works(
        "CREATE TABLE t (id TEXT, PRIMARY KEY (id COLLATE NOCASE)); INSERT INTO t VALUES ('b'), ('A'), ('C');",
        "t",
        &["A", "b", "C"].map(|id| vec![text(id)]),
    );
    // The index has its own collation, under which these are two.
    works(
        "CREATE TABLE t (id TEXT COLLATE NOCASE, PRIMARY KEY (id COLLATE BINARY)); INSERT INTO t VALUES ('b'), ('B'), ('a');",
        "t",
        &["B", "a", "b"].map(|id| vec![text(id)]),
    );
    works(
        "CREATE TABLE t (id DATE PRIMARY KEY); INSERT INTO t VALUES ('2026-03-11'), ('2026-03-10'), ('2026-02-30');",
        "t",
        &["2026-03-10", "2026-03-11"].map(|id| vec![text(id)]),
    );
    works(
        "CREATE TABLE t (id BOOLEAN PRIMARY KEY); INSERT INTO t VALUES (1), (0), (2);",
        "t",
        &[false, true].map(|id| vec![Scalar::Boolean(id)]),
    );
    works(
        "CREATE TABLE t (id DECIMAL(10,2) PRIMARY KEY); INSERT INTO t VALUES (2.5), (10), (0.1);",
        "t",
        &[vec![decimal("0.1")], vec![decimal("2.5")], vec![int(10)]],
    );
    works(
        "CREATE TABLE t (id INTEGER PRIMARY KEY DESC); INSERT INTO t VALUES (1), (2);",
        "t",
        &[1, 2].map(|id| vec![int(id)]),
    );
}

#[test]
fn uuids_in_every_shape() {
    for sql in [
        format!(
            "CREATE TABLE t (id UUID PRIMARY KEY, n); INSERT INTO t VALUES ('{UUID}', 1), ('{OTHER}', 2), ('not', 3);"
        ),
        format!(
            "CREATE TABLE t (id UUID PRIMARY KEY, n); INSERT INTO t VALUES (upper('{UUID}'), 1), (upper('{OTHER}'), 2);"
        ),
        format!(
            "CREATE TABLE t (id UUID PRIMARY KEY COLLATE NOCASE, n); INSERT INTO t VALUES ('{UUID}', 1), ('{OTHER}', 2);"
        ),
    ] {
        works(&sql, "t", &[UUID, OTHER].map(|id| vec![text(id)]));
    }
    let bytes = |uuid: &str| uuid.replace('-', "");
    works_with(
        &format!(
            "CREATE TABLE t (id BLOB PRIMARY KEY); INSERT INTO t VALUES (x'{}'), (x'{}'), (x'00'), ('{UUID}');",
            bytes(OTHER),
            bytes(UUID)
        ),
        "[objects.t]\nfields = { id = \"uuid\" }",
        "t",
        &[UUID, OTHER].map(|id| vec![text(id)]),
    );
    let sqlite = serve(&format!(
        "CREATE TABLE t (id INTEGER PRIMARY KEY, u UUID); INSERT INTO t VALUES (1, '{UUID}'), (2, upper('{UUID}')), (3, NULL), (4, 'x');"
    ));
    assert_eq!(numbers(&sqlite, "t", is("u", C::Equal, [text(UUID)])), [1, 2]);
    assert_eq!(numbers(&sqlite, "t", is("u", C::AnyOf, [text(UUID), text(OTHER)])), [1, 2]);
    assert_eq!(numbers(&sqlite, "t", unless("u", C::Equal, [text(OTHER)])), [1, 2, 3]);
}

#[test]
fn two_spellings_of_one_uuid_are_never_two_removals() {
    let sqlite =
        serve(&format!("CREATE TABLE t (id UUID PRIMARY KEY); INSERT INTO t VALUES ('{UUID}'), (upper('{UUID}'));"));
    let answer = remove(&mut system(&sqlite), "t", &[text(UUID)]);
    assert!(matches!(answer, Err(Failure::Faulted(_))), "{answer:?}");
    assert_eq!(every(&mut system(&sqlite), "t").len(), 2);
}

const STOCK: &str = "
    CREATE TABLE stock (warehouse TEXT, sku TEXT, qty INTEGER, PRIMARY KEY (warehouse, sku));
    INSERT INTO stock VALUES ('W1', 'A', 1), ('W1', 'B', 2), ('W2', 'A', 3), (NULL, 'A', 4), ('W3', NULL, 5);";

#[test]
fn keys_of_several_fields() {
    let ids = [["W1", "A"], ["W1", "B"], ["W2", "A"]].map(|id| id.map(text).to_vec());
    works(STOCK, "stock", &ids);
    works(&STOCK.replace("TEXT", "TEXT COLLATE NOCASE"), "stock", &ids);
    let without = "
        CREATE TABLE stock (warehouse TEXT, sku TEXT, PRIMARY KEY (sku, warehouse)) WITHOUT ROWID;
        INSERT INTO stock VALUES ('W1', 'A'), ('W1', 'B'), ('W2', 'A');";
    works(without, "stock", &[["A", "W1"], ["A", "W2"], ["B", "W1"]].map(|id| id.map(text).to_vec()));
    works(
        &format!(
            "CREATE TABLE t (u UUID, n INTEGER, PRIMARY KEY (u, n)); INSERT INTO t VALUES (upper('{UUID}'), 2), (upper('{UUID}'), 1), ('{OTHER}', 1);"
        ),
        "t",
        &[vec![text(UUID), int(1)], vec![text(UUID), int(2)], vec![text(OTHER), int(1)]],
    );
}

#[test]
fn half_a_key_is_nobodys() {
    let sqlite = serve(STOCK);
    let mut bridge = system(&sqlite);
    let wrong = [
        vec![],
        vec![text("W1")],
        vec![text("W1"), Scalar::Null],
        vec![text("W1"), text("A"), int(5)],
        vec![text("w1"), text("A")],
        vec![int(1), text("A")],
    ];
    assert_eq!(by_ids(&mut bridge, "stock", &wrong), Vec::<Vec<Scalar>>::new());
    for id in wrong {
        assert_eq!(by_ids(&mut bridge, "stock", std::slice::from_ref(&id)), Vec::<Vec<Scalar>>::new(), "{id:?}");
        assert_eq!(remove(&mut bridge, "stock", &id).unwrap(), Removal::Absent, "{id:?}");
    }
    assert_eq!(every(&mut bridge, "stock").len(), 3);
}

#[test]
fn keys_of_several_fields_match_by_bytes() {
    let sqlite = serve(&STOCK.replace("TEXT", "TEXT COLLATE NOCASE"));
    let mut bridge = system(&sqlite);
    let ids = [["w1", "A"], ["W1", "b"], ["W2", "A"]].map(|id| id.map(text).to_vec());
    assert_eq!(by_ids(&mut bridge, "stock", &ids), ids[2..]);
    assert_eq!(by_ids(&mut bridge, "stock", &ids[..1]), Vec::<Vec<Scalar>>::new());
    assert_eq!(remove(&mut bridge, "stock", &ids[0]).unwrap(), Removal::Absent);
}

#[test]
fn names_of_every_kind() {
    works(
        r#"CREATE TABLE "Größe ""x""" ("sch lüssel" INTEGER PRIMARY KEY, "select" TEXT); INSERT INTO "Größe ""x""" VALUES (1, 'a'), (2, 'b');"#,
        "Größe \"x\"",
        &[1, 2].map(|id| vec![int(id)]),
    );
    // A column that is called like the row id, and is another thing.
    works(
        "CREATE TABLE t (rowid TEXT PRIMARY KEY, oid INTEGER, _rowid_ INTEGER); INSERT INTO t VALUES ('b', 1, 1), ('a', 1, 1);",
        "t",
        &["a", "b"].map(|id| vec![text(id)]),
    );
    works(
        "CREATE TABLE \"select\" (\"from\" INTEGER PRIMARY KEY); INSERT INTO \"select\" VALUES (1);",
        "select",
        &[vec![int(1)]],
    );
}

#[test]
fn a_key_that_is_no_text_is_invisible() {
    let sqlite = serve("CREATE TABLE t (id TEXT PRIMARY KEY); INSERT INTO t VALUES ('a'), (CAST(x'ff61' AS TEXT));");
    assert_eq!(every(&mut system(&sqlite), "t"), [vec![text("a")]]);
    let selection = Selection::Filter(unless("id", C::Equal, [text("a")]));
    assert_eq!(rows(&mut system(&sqlite), "t", &selection), []);
}

#[test]
fn a_thousand_ids_of_several_fields() {
    let sqlite = serve(&format!(
        "CREATE TABLE t (a UUID, b UUID, c UUID, d UUID, e INTEGER, PRIMARY KEY (a, b, c, d, e)) WITHOUT ROWID;
         WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 1500)
         INSERT INTO t SELECT '{UUID}', upper('{OTHER}'), '{UUID}', '{OTHER}', i FROM n;"
    ));
    let id = |number: i64| vec![text(UUID), text(OTHER), text(UUID), text(OTHER), int(number)];
    let ids: Vec<Vec<Scalar>> = (1..=1000).map(|number| id(number * 2)).collect();
    assert_eq!(by_ids(&mut system(&sqlite), "t", &ids).len(), 750);
    let sqlite = serve(
        "CREATE TABLE t (a TEXT, at DATETIME, PRIMARY KEY (a, at));
         WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 1500) INSERT INTO t SELECT 'a', i FROM n;",
    );
    let ids: Vec<Vec<Scalar>> = (1..=1000).map(|number| vec![text("a"), at(number * 2, 0)]).collect();
    assert_eq!(by_ids(&mut system(&sqlite), "t", &ids).len(), 750);
}
