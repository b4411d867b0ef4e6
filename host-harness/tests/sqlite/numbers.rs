//! Integers beyond 2^53, decimals and binary floating point: exact, or refused.

use deletegate::bridge::{Comparison as C, Selection};

use crate::support::*;

#[test]
fn integers_are_exact_to_64_bits() {
    let sqlite = serve(
        "CREATE TABLE ledger (id BIGINT PRIMARY KEY, n INTEGER);
         INSERT INTO ledger VALUES (9007199254740992, 1), (9007199254740993, 9223372036854775807),
             (-9223372036854775808, -9223372036854775808), (9223372036854775807, 9.0), (NULL, 5), ('x', 6), (1.5, 7);",
    );
    let mut bridge = system(&sqlite);
    // Those whose key does not fit are nobody's to see.
    let all = [i64::MIN, 9_007_199_254_740_992, 9_007_199_254_740_993, i64::MAX].map(|id| vec![int(id)]);
    assert_eq!(every(&mut bridge, "ledger"), all);
    assert_eq!(numbers(&sqlite, "ledger", is("n", C::Equal, [int(i64::MAX)])), [9_007_199_254_740_993]);
    assert_eq!(
        numbers(&sqlite, "ledger", is("id", C::Greater, [int(9_007_199_254_740_992)])),
        [9_007_199_254_740_993, i64::MAX]
    );
    assert_eq!(
        numbers(&sqlite, "ledger", is("id", C::AnyOf, [int(9_007_199_254_740_993), int(1)])),
        [9_007_199_254_740_993]
    );
    assert_eq!(
        remove(&mut bridge, "ledger", &[int(9_007_199_254_740_993)]).unwrap(),
        deletegate::bridge::Removal::Removed
    );
    assert_eq!(every(&mut bridge, "ledger"), [i64::MIN, 9_007_199_254_740_992, i64::MAX].map(|id| vec![int(id)]));
}

#[test]
fn floats_have_an_order_and_borders_never_widen() {
    let sqlite = serve(
        "CREATE TABLE t (id INTEGER PRIMARY KEY, f REAL);
         INSERT INTO t VALUES (1, 0.1), (2, 0.3), (3, 1e23), (4, 9e999), (5, -9e999), (6, NULL), (7, 'soon'), (8, 3),
             (9, 1.7976931348623157e308), (10, -0.0);",
    );
    let cases: [(C, &str, &[i64]); 14] = [
        (C::LessOrEqual, "0.1", &[1, 10]),
        (C::Less, "0.1", &[10]),
        // Below and above what stands for the double next to 0.1.
        (C::LessOrEqual, "0.09999999999999999999", &[10]),
        (C::GreaterOrEqual, "0.10000000000000000001", &[2, 3, 8, 9]),
        (C::GreaterOrEqual, "0.09999999999999999999", &[1, 2, 3, 8, 9]),
        (C::Less, "0.10000000000000000001", &[1, 10]),
        (C::Greater, "1e23", &[9]),
        (C::GreaterOrEqual, "1e23", &[3, 9]),
        // The digits of the double itself are not those that name it.
        (C::GreaterOrEqual, "100000000000000000000001", &[9]),
        (C::LessOrEqual, "1e400", &[1, 2, 3, 8, 9, 10]),
        (C::Greater, "1e400", &[]),
        (C::Greater, "-1e400", &[1, 2, 3, 8, 9, 10]),
        (C::Less, "-1e400", &[]),
        (C::GreaterOrEqual, "0", &[1, 2, 3, 8, 9, 10]),
    ];
    for (comparison, operand, expected) in cases {
        assert_eq!(
            numbers(&sqlite, "t", is("f", comparison, [decimal(operand)])),
            expected,
            "{comparison:?} {operand}"
        );
    }
    assert_eq!(numbers(&sqlite, "t", is("f", C::Less, [int(3)])), [1, 2, 10]);
    assert_eq!(numbers(&sqlite, "t", unless("f", C::Less, [int(3)])), [3, 6, 8, 9]);
    assert_eq!(numbers(&sqlite, "t", unless("f", C::IsNull, [])), [1, 2, 3, 8, 9, 10]);
}

#[test]
fn decimals_are_what_their_digits_say() {
    let sqlite = serve(
        "CREATE TABLE t (id INTEGER PRIMARY KEY, d DECIMAL(20, 4));
         INSERT INTO t VALUES (1, '0.10'), (2, 12.5), (3, 7), (4, '9007199254740993'), (5, NULL), (6, 'x'), (7, 9e999), (8, -3);",
    );
    let mut bridge = system(&sqlite);
    let cases: [(C, &str, &[i64]); 9] = [
        (C::Equal, "0.1", &[1]),
        (C::Equal, "12.50", &[2]),
        (C::Equal, "7.0", &[3]),
        (C::Equal, "1.25e1", &[2]),
        (C::Equal, "9007199254740993", &[4]),
        (C::Equal, "9007199254740992", &[]),
        (C::Less, "7.5", &[1, 3, 8]),
        (C::Greater, "9007199254740992", &[4]),
        (C::LessOrEqual, "-3", &[8]),
    ];
    for (comparison, operand, expected) in cases {
        assert_eq!(
            numbers(&sqlite, "t", is("d", comparison, [decimal(operand)])),
            expected,
            "{comparison:?} {operand}"
        );
    }
    assert_eq!(numbers(&sqlite, "t", is("d", C::AnyOf, [decimal("0.1"), int(7), decimal("12.5")])), [1, 2, 3]);
    assert_eq!(numbers(&sqlite, "t", unless("d", C::Equal, [decimal("0.1")])), [2, 3, 4, 5, 8]);
    assert_eq!(numbers(&sqlite, "t", unless("d", C::IsNull, [])), [1, 2, 3, 4, 8]);
    for operand in ["0.1000000000000000001", "9007199254740993.5", "1e400", "9223372036854775808.1"] {
        for comparison in [C::Equal, C::Less, C::AnyOf] {
            let filter = Selection::Filter(is("d", comparison, [decimal(operand)]));
            assert_eq!(
                code(page(&mut bridge, "t", &filter, None, 10)),
                ("FILTER_NOT_EXACT".to_owned(), 400),
                "{operand}"
            );
        }
    }
}
