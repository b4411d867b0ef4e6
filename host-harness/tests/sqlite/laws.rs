//! What holds for every type, every declared type and every comparison, over a zoo of stored values.

use std::collections::BTreeSet;

use deletegate::bridge::sqlite::Sqlite;
use deletegate::bridge::{Comparison as C, Failure, FilterTerm, Scalar, Selection};

use crate::support::*;

const ZOO: &[&str] = &[
    "NULL",
    "0",
    "1",
    "2",
    "-1",
    "9007199254740993",
    "-9223372036854775808",
    "1773135000",
    "0.1",
    "1.0",
    "1e300",
    "9e999",
    "-9e999",
    "''",
    "'0'",
    "'1'",
    "'a'",
    "'A'",
    "'a '",
    "'ab'",
    "'é'",
    "'a' || char(0) || 'b'",
    "x''",
    "x'00'",
    "x'61'",
    "CAST(x'ff' AS TEXT)",
    "'0b6dd3e4-3f1c-4d3e-9a51-6f0b8f4a2c11'",
    "upper('0b6dd3e4-3f1c-4d3e-9a51-6f0b8f4a2c11')",
    "'0B6dd3e4-3f1c-4d3e-9a51-6f0b8f4a2c11'",
    "x'0b6dd3e43f1c4d3e9a516f0b8f4a2c11'",
    "'2026-03-10'",
    "'2026-02-30'",
    "'2026-03-10 09:30:00'",
    "'2026-03-10T10:30:00+01:00'",
    "'soon'",
    "'now'",
    "'[]'",
    "'[\"a\"]'",
    "'[\"a\",\"b\"]'",
    "'[1]'",
    "'{}'",
    "'true'",
    "'1e5'",
    "' 1'",
    "'9223372036854775808'",
];

const DECLARED: &[&str] = &[
    "",
    "TEXT",
    "TEXT COLLATE NOCASE",
    "TEXT COLLATE RTRIM",
    "INTEGER",
    "REAL",
    "NUMERIC",
    "BLOB",
    "DATETIME",
    "BOOLEAN",
];

fn operands(type_: &str) -> Vec<Scalar> {
    match type_ {
        "boolean" => [false, true].map(Scalar::Boolean).to_vec(),
        "integer" => [0, 1, 9_007_199_254_740_993, i64::MIN].map(int).to_vec(),
        "decimal" | "float" => {
            vec![int(0), int(9_007_199_254_740_993), decimal("0.1"), decimal("1e300"), decimal("-0.5")]
        }
        "text" => ["", "0", "a", "A", "ab", "é", "a\0b", "1e5"].map(text).to_vec(),
        "uuid" => vec![text("0b6dd3e4-3f1c-4d3e-9a51-6f0b8f4a2c11"), text("0b6dd3e4-0000-4d3e-9a51-6f0b8f4a2c11")],
        "date" => ["2026-03-10", "0001-01-01"].map(text).to_vec(),
        "instant" => vec![at(1_773_135_000, 0), at(0, 0), at(1_773_135_000, 1)],
        "text-list" => ["a", "b"].map(text).to_vec(),
        _ => vec![],
    }
}

const COMPARISONS: [C; 12] = [
    C::Equal,
    C::Less,
    C::LessOrEqual,
    C::Greater,
    C::GreaterOrEqual,
    C::AnyOf,
    C::Contains,
    C::StartsWith,
    C::EndsWith,
    C::ContainsIgnoringAsciiCase,
    C::ContainsAll,
    C::IsNull,
];

fn selected(sqlite: &Sqlite, filter: Vec<FilterTerm>) -> Option<BTreeSet<i64>> {
    match page(&mut system(sqlite), "zoo", &Selection::Filter(filter), None, 1000) {
        Ok(page) => Some(
            page.rows
                .into_iter()
                .map(|row| match row.id[0] {
                    Scalar::Integer(id) => id,
                    ref other => panic!("{other:?}"),
                })
                .collect(),
        ),
        Err(Failure::Refused(refusal)) if refusal.code == "INVALID_FILTER" => None,
        Err(other) => panic!("{other:?}"),
    }
}

#[test]
fn a_condition_and_its_negation_share_out_what_fits() {
    let mut compared = 0;
    for declared in DECLARED {
        for type_ in
            ["boolean", "integer", "decimal", "float", "text", "uuid", "date", "instant", "text-list", "opaque"]
        {
            let rows: Vec<String> = ZOO.iter().map(|value| format!("INSERT INTO zoo (c) VALUES ({value});")).collect();
            let sqlite = configured(
                &format!("CREATE TABLE zoo (id INTEGER PRIMARY KEY, c {declared}); {}", rows.concat()),
                &format!("[objects.zoo]\nfields = {{ c = \"{type_}\" }}"),
            );
            let null = selected(&sqlite, is("c", C::IsNull, [])).unwrap();
            let fitting = selected(&sqlite, unless("c", C::IsNull, [])).unwrap();
            assert_eq!(null, BTreeSet::from([1]));
            assert!(null.is_disjoint(&fitting));
            let all = operands(type_);
            let single = all.iter().map(|operand| vec![operand.clone()]);
            for operands in single.chain([all.clone()]) {
                for comparison in COMPARISONS {
                    let what = || format!("{declared:?} {type_} {comparison:?} {operands:?}");
                    let Some(yes) = selected(&sqlite, is("c", comparison, operands.clone())) else {
                        assert_eq!(selected(&sqlite, unless("c", comparison, operands.clone())), None, "{}", what());
                        continue;
                    };
                    if comparison == C::IsNull {
                        continue;
                    }
                    compared += 1;
                    let no = selected(&sqlite, unless("c", comparison, operands.clone())).unwrap();
                    assert!(yes.is_subset(&fitting), "{}: {yes:?} of {fitting:?}", what());
                    assert_eq!(no, &(&fitting - &yes) | &null, "{}", what());
                }
            }
        }
    }
    assert!(compared > 1000, "{compared}");
}
