//! What a filter means where PostgreSQL's types and collations have ideas of their own.

use deletegate::bridge::{Comparison, FilterTerm, Scalar};

use crate::support::*;

#[test]
fn text_is_bytes_whatever_the_collation() {
    for type_ in
        ["text", "text COLLATE blind", "citext", "varchar(20) COLLATE \"en-x-icu\"", "text COLLATE \"en-x-icu\""]
    {
        let db = database(&format!(
            "CREATE EXTENSION citext;
             CREATE COLLATION blind (provider = icu, locale = 'und-u-ks-level2', deterministic = FALSE);
             CREATE TABLE t (id integer PRIMARY KEY, name {type_});
             INSERT INTO t VALUES (1, 'TMP_1'), (2, 'tmp_2'), (3, 'TMPX1'), (4, 'ÄNDERN'), (5, 'ändern'), (6, '50% off'), (7, '500 off'),
                 (8, E'a\\\\_b'), (9, NULL)"
        ));
        let postgres = db.serve();
        let found = |comparison, operand: &str| numbers(&postgres, "t", is("name", comparison, [text(operand)]));
        assert_eq!(found(Comparison::Equal, "tmp_1"), [0_i64; 0], "{type_}");
        assert_eq!(found(Comparison::Equal, "TMP_1"), [1], "{type_}");
        assert_eq!(found(Comparison::StartsWith, "TMP_"), [1], "{type_}");
        assert_eq!(found(Comparison::StartsWith, "tmp"), [2], "{type_}");
        assert_eq!(found(Comparison::EndsWith, "1"), [1, 3], "{type_}");
        assert_eq!(found(Comparison::EndsWith, "ndern"), [5], "{type_}");
        assert_eq!(found(Comparison::Contains, "0%"), [6], "{type_}");
        assert_eq!(found(Comparison::Contains, "\\"), [8], "{type_}");
        assert_eq!(found(Comparison::ContainsIgnoringAsciiCase, "tmp"), [1, 2, 3], "{type_}");
        assert_eq!(found(Comparison::ContainsIgnoringAsciiCase, "Ä"), [4], "{type_}");
        assert_eq!(found(Comparison::Less, "TMP_2"), [1, 3, 6, 7], "{type_}");
        assert_eq!(found(Comparison::Greater, "tmp_2"), [4, 5], "{type_}");
        let lists = is("name", Comparison::AnyOf, ["tmp_1", "TMP_1", "tmp_2"].map(text));
        assert_eq!(numbers(&postgres, "t", lists), [1, 2], "{type_}");
        // A negation takes in what has no value.
        assert_eq!(numbers(&postgres, "t", unless("name", Comparison::Contains, [text("off")])), [1, 2, 3, 4, 5, 8, 9]);
    }
}

#[test]
fn a_value_that_does_not_fit_matches_neither_a_condition_nor_its_negation() {
    let db = database(
        "CREATE TABLE t (id integer PRIMARY KEY, at timestamptz, day date, n numeric, f double precision, tags text[], list jsonb);
         INSERT INTO t VALUES (1, 'infinity', 'infinity', 'NaN', 'NaN', ARRAY['a', NULL], '[\"a\", 1]'),
             (2, '-infinity', '-infinity', 'Infinity', '-Infinity', ARRAY[['a', 'b']], '\"a\"'),
             (3, '2026-01-01 00:00+00', '2026-01-01', 1, 1, ARRAY['a'], '[\"a\"]'),
             (4, NULL, NULL, NULL, NULL, NULL, NULL)",
    );
    let postgres = db.configured("postgres", "[objects.t]\nfields = { list = \"text-list\" }").unwrap();
    for (field, comparison, operand) in [
        ("at", Comparison::Greater, at(0, 0)),
        ("at", Comparison::Less, at(1_800_000_000, 0)),
        ("day", Comparison::Greater, text("1999-01-01")),
        ("day", Comparison::Less, text("2999-01-01")),
        ("n", Comparison::Greater, int(0)),
        ("n", Comparison::Equal, int(1)),
        ("f", Comparison::Greater, int(0)),
        ("f", Comparison::Less, int(2)),
        ("tags", Comparison::ContainsAll, text("a")),
        ("list", Comparison::ContainsAll, text("a")),
    ] {
        assert_eq!(numbers(&postgres, "t", is(field, comparison, [operand.clone()])), [3], "{field} {comparison:?}");
        assert_eq!(numbers(&postgres, "t", unless(field, comparison, [operand])), [4], "{field} {comparison:?}");
        assert_eq!(numbers(&postgres, "t", is(field, Comparison::IsNull, [])), [4], "{field}");
        assert_eq!(numbers(&postgres, "t", unless(field, Comparison::IsNull, [])), [3], "{field}");
    }
}

#[test]
fn decimals_are_exact() {
    let db = database(
        "CREATE TABLE t (id integer PRIMARY KEY, n numeric);
         INSERT INTO t VALUES (1, 0.1), (2, 0.1000000000000000001), (3, 123456789012345678901234567890.5), (4, 10.10)",
    );
    let postgres = db.serve();
    let found = |comparison, operand: Scalar| numbers(&postgres, "t", is("n", comparison, [operand]));
    assert_eq!(found(Comparison::Equal, decimal("0.1000000000000000001")), [2]);
    assert_eq!(found(Comparison::Equal, decimal("1e-1")), [1]);
    assert_eq!(found(Comparison::Equal, decimal("10.1")), [4]);
    assert_eq!(found(Comparison::Greater, decimal("0.1")), [2, 3, 4]);
    assert_eq!(found(Comparison::GreaterOrEqual, decimal("123456789012345678901234567890.5")), [3]);
    assert_eq!(found(Comparison::Less, decimal("1e400")), [1, 2, 3, 4]);
    for digits in ["1e999999999", "1e-999999999"] {
        let filter = deletegate::bridge::Selection::Filter(is("n", Comparison::Less, [decimal(digits)]));
        assert_eq!(code(page(&mut system(&postgres), "t", &filter, None, 5)), ("FILTER_NOT_EXACT".to_owned(), 400));
    }
}

#[test]
fn borders_are_rounded_inwards() {
    let db = database(
        "CREATE TABLE t (id integer PRIMARY KEY, f double precision, g real, n smallint, at timestamptz, local timestamp);
         INSERT INTO t VALUES (1, 0.1, 0.1, -5, '2026-03-10 09:30:00.000001+00', '2026-03-10 09:30:00.000001'),
             (2, 0.2, 0.2, 5, '2026-03-10 09:30:00.000002+00', '2026-03-10 09:30:00.000002')",
    );
    let postgres = db.serve();
    let found = |field: &str, comparison, operand: Scalar| numbers(&postgres, "t", is(field, comparison, [operand]));
    for field in ["f", "g"] {
        assert_eq!(found(field, Comparison::LessOrEqual, decimal("0.1")), [1], "{field}");
        assert_eq!(found(field, Comparison::Less, decimal("0.1")), [0_i64; 0], "{field}");
        assert_eq!(found(field, Comparison::Less, decimal("0.10000000000000000001")), [1], "{field}");
        assert_eq!(found(field, Comparison::GreaterOrEqual, decimal("0.10000000000000000001")), [2], "{field}");
        assert_eq!(found(field, Comparison::Less, decimal("1e999")), [1, 2], "{field}");
        assert_eq!(found(field, Comparison::Greater, decimal("1e999")), [0_i64; 0], "{field}");
    }
    // An operand may be wider than the column.
    assert_eq!(found("n", Comparison::Less, int(i64::MAX)), [1, 2]);
    assert_eq!(found("n", Comparison::Equal, int(i64::MAX)), [0_i64; 0]);
    for field in ["at", "local"] {
        let moment = |nanoseconds| at(1_773_135_000, nanoseconds);
        assert_eq!(found(field, Comparison::Equal, moment(1000)), [1], "{field}");
        assert_eq!(found(field, Comparison::Equal, moment(1001)), [0_i64; 0], "{field}");
        assert_eq!(found(field, Comparison::Less, moment(1001)), [1], "{field}");
        assert_eq!(found(field, Comparison::GreaterOrEqual, moment(1001)), [2], "{field}");
        let some = is(field, Comparison::AnyOf, [moment(1001), moment(2000), moment(3000)]);
        assert_eq!(numbers(&postgres, "t", some), [2], "{field}");
    }
}

#[test]
fn zones_of_the_session_change_nothing() {
    let db = database(
        "CREATE TABLE t (id integer PRIMARY KEY, at timestamptz, local timestamp, day date);
         INSERT INTO t VALUES (1, '2026-03-10 23:30:00-05', '2026-03-11 04:30:00', '2026-03-11')",
    );
    db.run(&format!(
        "ALTER DATABASE {} SET timezone = 'America/New_York'; ALTER DATABASE {} SET datestyle = 'German, DMY'",
        db.name, db.name
    ));
    let postgres = db.serve();
    for field in ["at", "local"] {
        assert_eq!(numbers(&postgres, "t", is(field, Comparison::Equal, [at(1_773_203_400, 0)])), [1], "{field}");
    }
    assert_eq!(numbers(&postgres, "t", is("day", Comparison::Equal, [text("2026-03-11")])), [1]);
}

#[test]
fn a_composite_of_nulls_is_a_value() {
    let db = database(
        "CREATE TYPE pair AS (a integer, b integer); CREATE TABLE t (id integer PRIMARY KEY, p pair, j json);
         INSERT INTO t VALUES (1, ROW(NULL, NULL), 'null'), (2, NULL, NULL)",
    );
    let postgres = db.serve();
    for field in ["p", "j"] {
        assert_eq!(numbers(&postgres, "t", is(field, Comparison::IsNull, [])), [2], "{field}");
        assert_eq!(numbers(&postgres, "t", unless(field, Comparison::IsNull, [])), [1], "{field}");
    }
}

#[test]
fn what_is_no_filter_is_refused_before_the_database() {
    let db = database("CREATE TABLE t (id integer PRIMARY KEY, name text)");
    let postgres = db.serve();
    let ask = |terms: Vec<FilterTerm>| {
        code(page(&mut system(&postgres), "t", &deletegate::bridge::Selection::Filter(terms), None, 5)).0
    };
    assert_eq!(ask(is("nothing", Comparison::Equal, [int(1)])), "INVALID_FIELD");
    assert_eq!(ask(is("id", Comparison::Equal, [text("1 OR TRUE")])), "INVALID_FILTER");
    assert_eq!(ask(is("id", Comparison::Contains, [text("1")])), "INVALID_FILTER");
    assert_eq!(ask(is("name", Comparison::AnyOf, [])), "INVALID_FILTER");
    assert_eq!(ask(vec![FilterTerm::AllOf(0)]), "INVALID_FILTER");
    assert_eq!(ask(vec![FilterTerm::AllOf(2)]), "INVALID_FILTER");
    assert_eq!(
        ask([is("id", Comparison::Equal, [int(1)]), is("id", Comparison::Equal, [int(1)])].concat()),
        "INVALID_FILTER"
    );
}
