//! Points in time, whatever shape a column stores.

use deletegate::bridge::{Comparison as C, Removal, Selection};

use crate::support::*;

/// 2026-03-10T09:30:00Z.
const T: i64 = 1_773_135_000;

const EVENTS: &str = "
    CREATE TABLE event (id INTEGER PRIMARY KEY, at DATETIME);
    INSERT INTO event VALUES (1, '2026-03-10T09:30:00Z'), (2, '2026-03-10 09:30:00'), (3, 1773135000),
        (4, '2026-03-10T10:30:00.000+01:00'), (5, '2026-03-10 09:30:00.000000001'), (6, '2026-03-10T09:29:59.999999999Z'),
        (7, 'soon'), (8, 9e999), (9, NULL), (10, '2026-03-10'), (11, 1773135000000), (12, '2026-03-09T09:31:00-23:59');";

#[test]
fn every_shape_is_compared_as_time() {
    for sql in [EVENTS.to_owned(), format!("{EVENTS} CREATE INDEX event_at ON event (at);")] {
        let sqlite = serve(&sql);
        let same = [1, 2, 3, 4, 12];
        assert_eq!(numbers(&sqlite, "event", is("at", C::Equal, [at(T, 0)])), same);
        assert_eq!(numbers(&sqlite, "event", is("at", C::AnyOf, [at(T, 0), at(T, 1)])), [1, 2, 3, 4, 5, 12]);
        assert_eq!(numbers(&sqlite, "event", is("at", C::Greater, [at(T, 0)])), [5]);
        assert_eq!(numbers(&sqlite, "event", is("at", C::Less, [at(T, 0)])), [6]);
        assert_eq!(numbers(&sqlite, "event", is("at", C::LessOrEqual, [at(T, 0)])), [1, 2, 3, 4, 6, 12]);
        assert_eq!(
            numbers(&sqlite, "event", is("at", C::GreaterOrEqual, [at(T - 1, 999_999_999)])),
            [1, 2, 3, 4, 5, 6, 12]
        );
        assert_eq!(numbers(&sqlite, "event", unless("at", C::Equal, [at(T, 0)])), [5, 6, 9]);
        assert_eq!(numbers(&sqlite, "event", unless("at", C::Less, [at(T, 0)])), [1, 2, 3, 4, 5, 9, 12]);
        assert_eq!(numbers(&sqlite, "event", unless("at", C::IsNull, [])), [1, 2, 3, 4, 5, 6, 12]);
        assert_eq!(numbers(&sqlite, "event", is("at", C::IsNull, [])), [9]);
    }
}

#[test]
fn an_instant_can_be_a_key() {
    let sqlite = serve(
        "CREATE TABLE reading (device TEXT, at TIMESTAMP, PRIMARY KEY (device, at)) WITHOUT ROWID;
         INSERT INTO reading VALUES ('d', '2026-03-10T10:30:00+01:00'), ('d', 1773135001), ('d', '2026-03-10 09:30:02'), ('d', 'x');",
    );
    let mut bridge = system(&sqlite);
    let ids = [0, 1, 2].map(|second| vec![text("d"), at(T + second, 0)]);
    assert_eq!(every(&mut bridge, "reading"), ids);
    assert_eq!(by_ids(&mut bridge, "reading", &[ids[1].clone(), ids[0].clone()]), ids[..2]);
    let first = page(&mut bridge, "reading", &Selection::Every, None, 1).unwrap();
    assert!(first.more);
    let rest = page(&mut bridge, "reading", &Selection::Every, Some(&ids[0]), 5).unwrap();
    assert_eq!(rest.rows.into_iter().map(|row| row.id).collect::<Vec<_>>(), ids[1..]);
    assert_eq!(remove(&mut bridge, "reading", &ids[0]).unwrap(), Removal::Removed);
    assert_eq!(every(&mut bridge, "reading"), ids[1..]);
}

#[test]
fn two_shapes_of_one_moment_are_one_id_and_never_two_removals() {
    let sqlite = serve(
        "CREATE TABLE tick (at DATETIME PRIMARY KEY);
         INSERT INTO tick VALUES ('2026-03-10T09:30:00Z'), ('2026-03-10 09:30:00');",
    );
    let answer = remove(&mut system(&sqlite), "tick", &[at(T, 0)]);
    assert!(matches!(answer, Err(deletegate::bridge::Failure::Faulted(_))), "{answer:?}");
    assert_eq!(every(&mut system(&sqlite), "tick").len(), 2);
}
