//! What a removal would reach, along the foreign keys.

use deletegate::bridge::{Bridge, Dependents, Effect, Selection};

use crate::support::*;

fn counted(db: &Db, object: &str, ids: &[i64]) -> Vec<(String, u64, Effect)> {
    let ids: Vec<_> = ids.iter().map(|id| vec![int(*id)]).collect();
    let found = dependents(&mut system(&db.serve()), object, &ids).unwrap();
    found.into_iter().map(|Dependents { object, count, effect }| (object, count, effect)).collect()
}

fn row(object: &str, count: u64, effect: Effect) -> (String, u64, Effect) {
    (object.to_owned(), count, effect)
}

#[test]
fn effects_are_told_apart_and_followed() {
    let db = database(
        "CREATE TABLE a (id integer PRIMARY KEY); CREATE TABLE b (id integer PRIMARY KEY, a bigint REFERENCES a ON DELETE CASCADE);
         CREATE TABLE c (id integer PRIMARY KEY, b integer REFERENCES b ON DELETE CASCADE);
         CREATE TABLE d (id integer PRIMARY KEY, b integer REFERENCES b ON DELETE SET NULL);
         CREATE TABLE e (id integer PRIMARY KEY, c integer REFERENCES c);
         CREATE SCHEMA far; CREATE TABLE far.f (id integer PRIMARY KEY, a integer REFERENCES a ON DELETE CASCADE);
         CREATE TABLE keyless (a integer REFERENCES a ON DELETE CASCADE);
         INSERT INTO a VALUES (1), (2), (3); INSERT INTO b VALUES (1, 1), (2, 1), (3, 2); INSERT INTO c VALUES (1, 1), (2, 3);
         INSERT INTO d VALUES (1, 1), (2, 3), (3, NULL); INSERT INTO e VALUES (1, 1), (2, 2); INSERT INTO far.f VALUES (1, 1);
         INSERT INTO keyless VALUES (1);",
    );
    let expected = [
        row("b", 2, Effect::Cascade),
        row("c", 1, Effect::Cascade),
        row("d", 1, Effect::Detach),
        row("e", 1, Effect::Restrict),
        row("far.f", 1, Effect::Cascade),
    ];
    assert_eq!(counted(&db, "a", &[1]), expected);
    assert_eq!(counted(&db, "a", &[3]), []);
    assert_eq!(counted(&db, "a", &[1, 2])[0], row("b", 3, Effect::Cascade));
}

#[test]
fn records_that_point_at_their_own_kind_are_counted_once() {
    let db = database(
        "CREATE TABLE t (id integer PRIMARY KEY, parent integer REFERENCES t ON DELETE CASCADE);
         INSERT INTO t VALUES (1, NULL), (2, 1), (3, 2), (4, 3), (5, NULL); UPDATE t SET parent = 4 WHERE id = 1;",
    );
    assert_eq!(counted(&db, "t", &[1]), [row("t", 3, Effect::Cascade)]);
    assert_eq!(counted(&db, "t", &[1, 2, 3, 4]), []);
}

#[test]
fn composite_keys_partitions_and_collations_are_followed() {
    let db = database(
        "CREATE COLLATION blind (provider = icu, locale = 'und-u-ks-level2', deterministic = FALSE);
         CREATE TABLE t (id integer, region text, PRIMARY KEY (id, region)) PARTITION BY LIST (region);
         CREATE TABLE t_north PARTITION OF t FOR VALUES IN ('north'); CREATE TABLE t_south PARTITION OF t FOR VALUES IN ('south');
         CREATE TABLE u (id integer PRIMARY KEY, t integer, region text, FOREIGN KEY (t, region) REFERENCES t ON DELETE CASCADE);
         CREATE TABLE name (id text COLLATE blind PRIMARY KEY);
         CREATE TABLE named (id integer PRIMARY KEY, name text COLLATE \"C\" REFERENCES name ON DELETE CASCADE);
         INSERT INTO t VALUES (1, 'north'), (1, 'south'); INSERT INTO u VALUES (1, 1, 'north'), (2, 1, 'south'), (3, 1, 'south');
         INSERT INTO name VALUES ('Ana'); INSERT INTO named VALUES (1, 'ana'), (2, 'Ana');",
    );
    let mut bridge = system(&db.serve());
    let of = |bridge: &mut _, object: &str, id: Vec<_>| dependents(bridge, object, &[id]).unwrap()[0].count;
    assert_eq!(of(&mut bridge, "t", vec![int(1), text("south")]), 2);
    assert_eq!(of(&mut bridge, "t", vec![int(1), text("north")]), 1);
    // The engine compares by the parent's collation, so both go.
    assert_eq!(of(&mut bridge, "name", vec![text("Ana")]), 2);
    assert_eq!(remove(&mut bridge, "name", &[text("Ana")]).unwrap(), deletegate::bridge::Removal::Removed);
    assert_eq!(db.column("SELECT count(*) FROM named"), ["0"]);
}

#[test]
fn what_a_role_reads_in_part_is_not_told_rather_than_told_wrong() {
    roles("CREATE ROLE counter LOGIN");
    let db = database(
        "CREATE TABLE a (id integer PRIMARY KEY); CREATE TABLE b (id integer PRIMARY KEY, a integer REFERENCES a ON DELETE CASCADE);
         INSERT INTO a VALUES (1); INSERT INTO b VALUES (1, 1); GRANT SELECT ON a TO counter",
    );
    let postgres = db.configured("counter", "").unwrap();
    // Nothing of it can be seen.
    assert_eq!(dependents(&mut system(&postgres), "a", &[vec![int(1)]]), Some(Vec::new()));
    db.run("GRANT SELECT (id) ON b TO counter");
    assert_eq!(dependents(&mut system(&postgres), "a", &[vec![int(1)]]), None);
    db.run("GRANT SELECT ON b TO counter");
    assert_eq!(dependents(&mut system(&postgres), "a", &[vec![int(1)]]).unwrap().len(), 1);
}

/// Where a row lies can't be read with a right to single columns, and neither the count nor the call fails for that.
#[test]
fn dependents_of_what_is_read_in_part_are_not_told() {
    roles("CREATE ROLE partner LOGIN");
    let db = database(
        "CREATE TABLE a (id integer PRIMARY KEY, name text, salary integer); INSERT INTO a VALUES (1, 'x', 1);
         CREATE TABLE b (id integer PRIMARY KEY, a integer REFERENCES a); GRANT SELECT ON b TO partner;
         GRANT SELECT (id, name), DELETE ON a TO partner",
    );
    let postgres = db.configured("partner", "").unwrap();
    let mut bridge = system(&postgres);
    let totals = wait(bridge.aggregate("a", &Selection::Ids(vec![vec![int(1)]]))).unwrap();
    assert_eq!((totals.count, totals.dependents), (deletegate::bridge::Count::Exact(1), None));
    assert_eq!(remove(&mut bridge, "a", &[int(1)]).unwrap(), deletegate::bridge::Removal::Removed);
}

#[test]
fn beyond_a_bound_the_count_is_not_known() {
    let db = database(
        "CREATE TABLE a (id integer PRIMARY KEY); CREATE TABLE b (id integer PRIMARY KEY, a integer REFERENCES a ON DELETE CASCADE);
         INSERT INTO a VALUES (1); INSERT INTO b SELECT n, 1 FROM generate_series(1, 100001) AS n;",
    );
    assert_eq!(dependents(&mut system(&db.serve()), "a", &[vec![int(1)]]), None);
}
