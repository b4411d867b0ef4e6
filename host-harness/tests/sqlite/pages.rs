//! Pages, labels and revisions.

use deletegate::bridge::{Removal, Selection};
use futures_executor::block_on;

use deletegate::bridge::Bridge;

use crate::support::*;

#[test]
fn pages_follow_each_other_in_the_order_of_the_key() {
    let sqlite = serve(
        "CREATE TABLE t (id INTEGER PRIMARY KEY);
         WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 25) INSERT INTO t SELECT i FROM n;",
    );
    let mut bridge = system(&sqlite);
    let (mut after, mut seen) = (None, Vec::new());
    loop {
        let page = page(&mut bridge, "t", &Selection::Every, after.as_deref(), 10).unwrap();
        seen.extend(page.rows.iter().map(|row| row.id[0].clone()));
        after = page.rows.last().map(|row| row.id.clone());
        if !page.more {
            break;
        }
        assert_eq!(page.rows.len(), 10);
    }
    assert_eq!(seen, (1..=25).map(int).collect::<Vec<_>>());
    let whole = page(&mut bridge, "t", &Selection::Every, None, 25).unwrap();
    assert!(!whole.more);
    let none = page(&mut bridge, "t", &Selection::Every, None, 0).unwrap();
    assert!(none.rows.is_empty() && !none.more);
    let behind_all = page(&mut bridge, "t", &Selection::Every, Some(&[int(25)]), 5).unwrap();
    assert!(behind_all.rows.is_empty() && !behind_all.more);
}

#[test]
fn a_page_has_a_most_whatever_is_asked_for() {
    let sqlite = serve(
        "CREATE TABLE t (id INTEGER PRIMARY KEY);
         WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 1001) INSERT INTO t SELECT i FROM n;",
    );
    let page = page(&mut system(&sqlite), "t", &Selection::Every, None, u32::MAX).unwrap();
    assert_eq!((page.rows.len(), page.more), (1000, true));
}

#[test]
fn a_label_is_the_first_column_that_names_a_record() {
    let label = |sql: &str, config: &str| {
        let sqlite = configured(sql, config);
        rows(&mut system(&sqlite), "t", &Selection::Every)[0].label.clone()
    };
    let some = |text: &str| Some(text.to_owned());
    let both = "CREATE TABLE t (id INTEGER PRIMARY KEY, title TEXT, Name VARCHAR(9), n INTEGER); INSERT INTO t VALUES (1, 'T', 'N', 5);";
    assert_eq!(label(both, ""), some("N"));
    assert_eq!(label(both, "[objects.t]\nlabel = \"title\""), some("T"));
    assert_eq!(label(both, "[objects.t]\nlabel = \"n\""), some("5"));
    assert_eq!(label("CREATE TABLE t (id INTEGER PRIMARY KEY, name INTEGER); INSERT INTO t VALUES (1, 2);", ""), None);
    assert_eq!(label("CREATE TABLE t (id INTEGER PRIMARY KEY, name TEXT); INSERT INTO t VALUES (1, NULL);", ""), None);
    assert_eq!(
        label(
            "CREATE TABLE t (id INTEGER PRIMARY KEY, name TEXT); INSERT INTO t VALUES (1, CAST(x'61ff62' AS TEXT));",
            ""
        ),
        some("a\u{fffd}b")
    );
    let long = label(
        "CREATE TABLE t (id INTEGER PRIMARY KEY, name TEXT); INSERT INTO t VALUES (1, printf('%.5000c', 'x'));",
        "",
    );
    assert_eq!(long.map(|text| text.len()), Some(200));
}

#[test]
fn a_revision_changes_with_the_record_and_guards_its_removal() {
    let (_folder, path) = file("CREATE TABLE t (id INTEGER PRIMARY KEY, c, d); INSERT INTO t VALUES (1, 1, '1');");
    let sqlite = deletegate::bridge::sqlite::Sqlite::open(&path, &Default::default()).unwrap();
    let other = rusqlite::Connection::open(&path).unwrap();
    let mut bridge = system(&sqlite);
    let mut seen = Vec::new();
    for change in [
        "",
        "UPDATE t SET c = '1'",
        "UPDATE t SET c = 1.0",
        "UPDATE t SET c = NULL",
        "UPDATE t SET c = x'31'",
        "UPDATE t SET c = '11', d = ''",
    ] {
        other.execute_batch(change).unwrap();
        let revision = rows(&mut bridge, "t", &Selection::Every)[0].revision.clone().unwrap();
        assert_eq!(revision.len(), 32);
        assert!(!seen.contains(&revision), "{change}");
        seen.push(revision);
    }
    for old in &seen[..seen.len() - 1] {
        assert_eq!(block_on(bridge.remove("t", &[int(1)], Some(old))).unwrap(), Removal::Changed);
    }
    assert_eq!(block_on(bridge.remove("t", &[int(1)], Some(""))).unwrap(), Removal::Changed);
    assert_eq!(every(&mut bridge, "t").len(), 1);
    assert_eq!(block_on(bridge.remove("t", &[int(1)], seen.last().map(String::as_str))).unwrap(), Removal::Removed);
}

#[test]
fn a_configured_revision_is_the_columns_text() {
    let sql = "CREATE TABLE t (id INTEGER PRIMARY KEY, version, c); INSERT INTO t VALUES (1, 7, 'a'), (2, 'v2', 'b'), (3, NULL, 'c');";
    let sqlite = configured(sql, "[objects.t]\nrevision = \"version\"");
    let mut bridge = system(&sqlite);
    let revisions: Vec<_> =
        rows(&mut bridge, "t", &Selection::Every).into_iter().map(|row| row.revision.unwrap()).collect();
    assert_eq!(revisions[..2], ["7", "v2"]);
    assert_eq!(block_on(bridge.remove("t", &[int(1)], Some("6"))).unwrap(), Removal::Changed);
    assert_eq!(block_on(bridge.remove("t", &[int(1)], Some("7"))).unwrap(), Removal::Removed);
    assert_eq!(block_on(bridge.remove("t", &[int(3)], Some(&revisions[2]))).unwrap(), Removal::Removed);
}
