//! What a removal would reach.

use deletegate::bridge::Bridge;
use deletegate::bridge::{Dependents, Effect, Selection};
use futures_executor::block_on;

use crate::support::*;

fn found(object: &str, count: u64, effect: Effect) -> Dependents {
    Dependents { object: object.to_owned(), count, effect }
}

const PROJECTS: &str = "
    CREATE TABLE project (id INTEGER PRIMARY KEY, parent INTEGER REFERENCES project);
    CREATE TABLE task (id INTEGER PRIMARY KEY, project INTEGER REFERENCES project ON DELETE RESTRICT);
    CREATE TABLE comment (id INTEGER PRIMARY KEY, project INTEGER REFERENCES Project (ID) ON DELETE CASCADE, owner TEXT);
    CREATE TABLE vote (id INTEGER PRIMARY KEY, comment INTEGER REFERENCES comment ON DELETE CASCADE);
    CREATE TABLE mention (id INTEGER PRIMARY KEY, comment INTEGER REFERENCES comment ON DELETE SET NULL);
    CREATE TABLE link (comment INTEGER REFERENCES comment ON DELETE CASCADE);
    CREATE TABLE sys_log (id INTEGER PRIMARY KEY, comment INTEGER REFERENCES comment ON DELETE CASCADE);
    CREATE TABLE stranger (id INTEGER PRIMARY KEY, elsewhere INTEGER REFERENCES nowhere);
    INSERT INTO project VALUES (1, NULL), (2, 1), (3, 1), (4, NULL);
    INSERT INTO task VALUES (1, 1), (2, 4);
    INSERT INTO comment VALUES (1, 1, 'ana'), (2, 1, 'bo'), (3, 1, 'ana'), (4, 2, 'ana');
    INSERT INTO vote VALUES (1, 1), (2, 1), (3, 2), (4, 4);
    INSERT INTO mention VALUES (1, 1), (2, 3), (3, NULL);
    INSERT INTO link VALUES (1);
    INSERT INTO sys_log VALUES (1, 1);";

#[test]
fn they_are_followed_along_foreign_keys() {
    let sqlite = serve(PROJECTS);
    let mut bridge = system(&sqlite);
    assert_eq!(
        dependents(&mut bridge, "project", &[vec![int(1)]]),
        Some(vec![
            found("comment", 3, Effect::Cascade),
            found("mention", 2, Effect::Detach),
            found("project", 2, Effect::Restrict),
            found("task", 1, Effect::Restrict),
            found("vote", 3, Effect::Cascade),
        ])
    );
    // The records themselves don't stand in their own way.
    assert_eq!(
        dependents(&mut bridge, "project", &[vec![int(1)], vec![int(2)], vec![int(99)]]),
        Some(vec![
            found("comment", 4, Effect::Cascade),
            found("mention", 2, Effect::Detach),
            found("project", 1, Effect::Restrict),
            found("task", 1, Effect::Restrict),
            found("vote", 4, Effect::Cascade),
        ])
    );
    assert_eq!(dependents(&mut bridge, "project", &[vec![int(99)]]), Some(vec![]));
    assert_eq!(dependents(&mut bridge, "task", &[vec![int(1)]]), Some(vec![]));
    let filtered = block_on(bridge.aggregate("project", &Selection::Every)).unwrap();
    assert_eq!(filtered.dependents, None);
}

#[test]
fn only_those_are_counted_that_the_caller_sees() {
    let sqlite = configured(PROJECTS, "[objects.comment]\nvisible = \"owner = :actor\"");
    let counted = dependents(&mut user(&sqlite, "ana"), "project", &[vec![int(1)]]).unwrap();
    // What depends on a hidden record goes with it all the same.
    assert_eq!(counted[0], found("comment", 2, Effect::Cascade));
    assert_eq!(counted[4], found("vote", 3, Effect::Cascade));
    // Nor does a hidden record itself tell what depends on it.
    assert_eq!(dependents(&mut user(&sqlite, "ana"), "comment", &[vec![int(2)]]), Some(vec![]));
    assert_eq!(
        dependents(&mut system(&sqlite), "comment", &[vec![int(2)]]),
        Some(vec![found("vote", 1, Effect::Cascade)])
    );
}

#[test]
fn keys_of_every_shape_are_followed() {
    let sqlite = serve(
        "CREATE TABLE parent (a TEXT COLLATE NOCASE, b INTEGER, code TEXT UNIQUE, PRIMARY KEY (a, b)) WITHOUT ROWID;
         CREATE TABLE child (id INTEGER PRIMARY KEY, pa TEXT, pb INTEGER, FOREIGN KEY (pa, pb) REFERENCES parent ON DELETE CASCADE);
         CREATE TABLE by_code (rowid TEXT, oid TEXT, id TEXT PRIMARY KEY, code TEXT REFERENCES parent (code) ON DELETE SET DEFAULT);
         INSERT INTO parent VALUES ('x', 1, 'c1'), ('x', 2, 'c2'), ('y', 1, NULL);
         INSERT INTO child VALUES (1, 'X', 1), (2, 'x', 1), (3, 'x', 2), (4, 'x', NULL), (5, NULL, NULL);
         INSERT INTO by_code VALUES ('r', 'o', 'i', 'c1'), ('r', 'o', 'j', NULL);",
    );
    assert_eq!(
        dependents(&mut system(&sqlite), "parent", &[vec![text("x"), int(1)]]),
        Some(vec![found("by_code", 1, Effect::Detach), found("child", 2, Effect::Cascade)])
    );
}

#[test]
fn a_row_that_goes_anyway_is_not_in_the_way() {
    let sqlite = serve(
        "CREATE TABLE p (id INTEGER PRIMARY KEY);
         CREATE TABLE c (id INTEGER PRIMARY KEY, goes INTEGER REFERENCES p ON DELETE CASCADE, checked INTEGER REFERENCES p,
             held INTEGER REFERENCES p ON DELETE RESTRICT, kept INTEGER REFERENCES p ON DELETE SET NULL);
         INSERT INTO p VALUES (1), (2);
         INSERT INTO c VALUES (1, 1, 1, NULL, 1), (2, 2, 1, NULL, 1), (3, 1, NULL, 1, NULL);",
    );
    assert_eq!(
        dependents(&mut system(&sqlite), "p", &[vec![int(1)]]),
        Some(vec![found("c", 2, Effect::Cascade), found("c", 2, Effect::Restrict), found("c", 1, Effect::Detach)])
    );
}

#[test]
fn rings_end_and_crowds_are_not_counted() {
    let sqlite = serve(
        "CREATE TABLE ring (id INTEGER PRIMARY KEY, next INTEGER REFERENCES ring ON DELETE CASCADE);
         PRAGMA foreign_keys = OFF;
         INSERT INTO ring VALUES (1, 2), (2, 3), (3, 1);
         CREATE TABLE crowd (id INTEGER PRIMARY KEY, ring INTEGER REFERENCES ring ON DELETE CASCADE);
         WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 1500) INSERT INTO crowd SELECT i, 1 FROM n;",
    );
    let counted = Some(vec![found("crowd", 1500, Effect::Cascade), found("ring", 2, Effect::Cascade)]);
    assert_eq!(dependents(&mut system(&sqlite), "ring", &[vec![int(2)]]), counted);
    let sqlite = serve(
        "CREATE TABLE p (id INTEGER PRIMARY KEY); INSERT INTO p VALUES (1);
         CREATE TABLE crowd (id INTEGER PRIMARY KEY, p INTEGER REFERENCES p ON DELETE CASCADE);
         WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 100001) INSERT INTO crowd SELECT i, 1 FROM n;",
    );
    assert_eq!(dependents(&mut system(&sqlite), "p", &[vec![int(1)]]), None);
}
