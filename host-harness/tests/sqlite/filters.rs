//! Terms, groups, nulls, and values that do not fit their type.

use deletegate::bridge::{Comparison as C, Condition, FilterTerm, Scalar, Selection};

use crate::support::*;

const TASKS: &str = "
    CREATE TABLE task (id INTEGER PRIMARY KEY, a TEXT, b TEXT, n INTEGER, done BOOLEAN, due DATE, blob BLOB);
    INSERT INTO task VALUES
        (1, 'x', 'y', 5, 1, '2026-03-10', x'00'), (2, 'x', 'zz', 6, 0, '2026-03-11', NULL),
        (3, 'qq', 'y', NULL, NULL, NULL, NULL), (4, 'qq', 'zz', 'five', 2, '2026-02-30', x'01');";

fn condition(field: &str, value: &str) -> FilterTerm {
    FilterTerm::Condition(Condition { field: field.to_owned(), comparison: C::Equal, operands: vec![text(value)] })
}

#[test]
fn groups_stand_before_their_members() {
    let sqlite = serve(TASKS);
    let (ax, by, aq, bz) = (condition("a", "x"), condition("b", "y"), condition("a", "qq"), condition("b", "zz"));
    let cases: [(&[FilterTerm], &[i64]); 5] = [
        (&[FilterTerm::AllOf(2), ax.clone(), by.clone()], &[1]),
        (&[FilterTerm::OneOf(2), ax.clone(), by.clone()], &[1, 2, 3]),
        (&[FilterTerm::AllOf(2), FilterTerm::OneOf(2), ax.clone(), by.clone(), bz.clone()], &[2]),
        (
            &[
                FilterTerm::OneOf(2),
                FilterTerm::AllOf(2),
                ax.clone(),
                by.clone(),
                FilterTerm::AllOf(2),
                aq.clone(),
                bz.clone(),
            ],
            &[1, 4],
        ),
        (&[FilterTerm::AllOf(3), ax, by, bz], &[]),
    ];
    for (filter, expected) in cases {
        assert_eq!(numbers(&sqlite, "task", filter.to_vec()), expected, "{filter:?}");
    }
}

#[test]
fn a_filter_that_is_none_is_refused_and_never_widens() {
    let sqlite = serve(TASKS);
    let one = condition("a", "x");
    let mut deep = vec![FilterTerm::AllOf(2); 5000];
    deep.extend(vec![one.clone(); 5001]);
    let cases: [Vec<FilterTerm>; 8] = [
        vec![],
        vec![one.clone(), one.clone()],
        vec![FilterTerm::AllOf(2), one.clone()],
        vec![FilterTerm::AllOf(0)],
        vec![FilterTerm::OneOf(0)],
        vec![FilterTerm::AllOf(1), one.clone()],
        vec![FilterTerm::AllOf(u32::MAX), one],
        deep,
    ];
    for filter in cases {
        let answer = page(&mut system(&sqlite), "task", &Selection::Filter(filter), None, 10);
        assert_eq!(code(answer), ("INVALID_FILTER".to_owned(), 400));
    }
    let unknown = is("stauts", C::Equal, [text("x")]);
    let answer = page(&mut system(&sqlite), "task", &Selection::Filter(unknown), None, 10);
    assert_eq!(code(answer), ("INVALID_FIELD".to_owned(), 400));
}

#[test]
fn negation_includes_null_and_leaves_out_what_does_not_fit() {
    let sqlite = serve(TASKS);
    let cases: [(Vec<FilterTerm>, &[i64]); 20] = [
        (is("n", C::Equal, [int(5)]), &[1]),
        (unless("n", C::Equal, [int(5)]), &[2, 3]),
        (is("n", C::Greater, [int(5)]), &[2]),
        (unless("n", C::Greater, [int(5)]), &[1, 3]),
        (is("n", C::AnyOf, [int(5), int(7)]), &[1]),
        (unless("n", C::AnyOf, [int(5), int(7)]), &[2, 3]),
        (is("n", C::IsNull, []), &[3]),
        (unless("n", C::IsNull, []), &[1, 2]),
        (is("done", C::Equal, [Scalar::Boolean(true)]), &[1]),
        (unless("done", C::Equal, [Scalar::Boolean(true)]), &[2, 3]),
        (unless("done", C::IsNull, []), &[1, 2]),
        (is("due", C::Equal, [text("2026-03-10")]), &[1]),
        (is("due", C::Less, [text("2026-03-11")]), &[1]),
        (unless("due", C::Less, [text("2026-03-11")]), &[2, 3]),
        (is("due", C::IsNull, []), &[3]),
        (unless("due", C::IsNull, []), &[1, 2]),
        (is("blob", C::IsNull, []), &[2, 3]),
        (unless("blob", C::IsNull, []), &[1, 4]),
        (unless("id", C::IsNull, []), &[1, 2, 3, 4]),
        (is("id", C::IsNull, []), &[]),
    ];
    for (filter, expected) in cases {
        assert_eq!(numbers(&sqlite, "task", filter.clone()), expected, "{filter:?}");
    }
}

#[test]
fn dates_are_days_that_exist() {
    let sqlite = serve(
        "CREATE TABLE t (id INTEGER PRIMARY KEY, d DATE, r DATE COLLATE RTRIM);
         INSERT INTO t VALUES (1, '2026-03-10', '2026-03-10'), (2, '2026-03-10 ', '2026-03-10 '), (3, 'now', 'now'),
             (4, '2026-3-10', '20260310'), (5, 20260310, 2461109.5), (6, '2026-03-10 00:00:00', '-001-01-01'),
             (7, '0000-01-01', '0000-01-01'), (8, '0001-01-01', '9999-12-31');",
    );
    assert_eq!(numbers(&sqlite, "t", unless("d", C::IsNull, [])), [1, 8]);
    assert_eq!(numbers(&sqlite, "t", unless("r", C::IsNull, [])), [1, 8]);
    assert_eq!(numbers(&sqlite, "t", is("r", C::AnyOf, [text("2026-03-10"), text("2026-03-11")])), [1]);
    assert_eq!(numbers(&sqlite, "t", is("r", C::Greater, [text("2026-03-10")])), [8]);
}

#[test]
fn text_lists_hold_entries() {
    let sqlite = configured(
        r#"CREATE TABLE event (id INTEGER PRIMARY KEY, tags TEXT);
           INSERT INTO event VALUES (1, '["a","b"]'), (2, '["a"]'), (3, '[]'), (4, NULL), (5, 'a,b'), (6, '[1]'),
               (7, '{"a":1}'), (8, '"a"'), (9, '["ab"]'), (10, ' [ "\u0061" , "b" ] ');"#,
        "[objects.event]\nfields = { tags = \"text-list\" }",
    );
    assert_eq!(numbers(&sqlite, "event", is("tags", C::ContainsAll, [text("a")])), [1, 2, 10]);
    assert_eq!(numbers(&sqlite, "event", is("tags", C::ContainsAll, [text("b"), text("a")])), [1, 10]);
    assert_eq!(numbers(&sqlite, "event", unless("tags", C::ContainsAll, [text("a")])), [3, 4, 9]);
    assert_eq!(numbers(&sqlite, "event", unless("tags", C::IsNull, [])), [1, 2, 3, 9, 10]);
}

#[test]
fn each_type_has_its_own_comparisons() {
    let sqlite = serve(
        "CREATE TABLE t (id INTEGER PRIMARY KEY, b BOOLEAN, f REAL, u UUID, o BLOB, n INTEGER, at DATETIME, c TEXT);",
    );
    let uuid = text("0b6dd3e4-3f1c-4d3e-9a51-6f0b8f4a2c11");
    let wrong = [
        is("b", C::Less, [Scalar::Boolean(true)]),
        is("b", C::Equal, [int(1)]),
        is("f", C::Equal, [int(1)]),
        is("f", C::AnyOf, [int(1)]),
        is("u", C::Greater, [uuid.clone()]),
        is("u", C::Contains, [uuid]),
        is("u", C::Equal, [text("0b6dd3e4")]),
        is("o", C::Equal, [text("x")]),
        is("n", C::Equal, [decimal("1.5")]),
        is("n", C::Equal, [text("1")]),
        is("n", C::Contains, [int(1)]),
        is("n", C::Equal, []),
        is("n", C::Equal, [int(1), int(2)]),
        is("n", C::AnyOf, []),
        is("n", C::AnyOf, [int(1), Scalar::Null]),
        is("n", C::Equal, [Scalar::Null]),
        is("at", C::Equal, [text("2026-03-10T00:00:00Z")]),
        is("at", C::AnyOf, [at(0, 0), int(0)]),
        is("c", C::Equal, [int(1)]),
        is("c", C::ContainsAll, [text("a")]),
    ];
    for filter in wrong {
        let answer = page(&mut system(&sqlite), "t", &Selection::Filter(filter.clone()), None, 10);
        assert_eq!(code(answer), ("INVALID_FILTER".to_owned(), 400), "{filter:?}");
    }
}

#[test]
fn a_thousand_terms_and_a_thousand_operands_are_taken() {
    let sqlite = serve(TASKS);
    for group in [FilterTerm::AllOf(1000), FilterTerm::OneOf(1000)] {
        let mut filter = vec![group];
        filter.extend((0..1000).map(|_| condition("a", "x")));
        assert_eq!(numbers(&sqlite, "task", filter), [1, 2]);
    }
    // 200,000 operands in all, far beyond what SQLite takes as single parameters.
    let list: Vec<Scalar> = (0..1000).map(|value| int(value * 5)).collect();
    let mut filter = vec![FilterTerm::AllOf(200)];
    filter.extend((0..200).flat_map(|_| is("n", C::AnyOf, list.clone())));
    assert_eq!(numbers(&sqlite, "task", filter), [1]);
}

#[test]
fn values_are_bound_and_names_quoted() {
    let sqlite = serve(
        r#"CREATE TABLE "ta""b'le; --" (id INTEGER PRIMARY KEY, "co""l?um'n" TEXT, "größe" INTEGER, "a?b" TEXT);
           INSERT INTO "ta""b'le; --" VALUES (1, ''' OR 1=1 --', 3, '?'), (2, 'x', 4, ':actor');"#,
    );
    let object = "ta\"b'le; --";
    assert_eq!(numbers(&sqlite, object, is("co\"l?um'n", C::Equal, [text("' OR 1=1 --")])), [1]);
    assert_eq!(numbers(&sqlite, object, is("größe", C::GreaterOrEqual, [int(4)])), [2]);
    assert_eq!(numbers(&sqlite, object, is("a?b", C::AnyOf, [text("?"), text(":actor")])), [1, 2]);
    assert_eq!(remove(&mut system(&sqlite), object, &[int(2)]).unwrap(), deletegate::bridge::Removal::Removed);
    assert_eq!(every(&mut system(&sqlite), object), [vec![int(1)]]);
}

#[test]
fn generated_columns_can_be_filtered() {
    let sqlite = serve(
        "CREATE TABLE t (id INTEGER PRIMARY KEY, n INTEGER, twice INTEGER AS (n * 2), more INTEGER AS (n + 1) STORED);
         INSERT INTO t (id, n) VALUES (1, 1), (2, 2);",
    );
    assert_eq!(numbers(&sqlite, "t", is("twice", C::Equal, [int(4)])), [2]);
    assert_eq!(numbers(&sqlite, "t", is("more", C::Equal, [int(2)])), [1]);
}
