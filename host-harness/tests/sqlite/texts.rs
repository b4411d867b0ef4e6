//! Text is compared by bytes, whatever collation, encoding or letter case say.

use deletegate::bridge::Comparison as C;

use crate::support::*;

const NONE: [i64; 0] = [];

const NAMES: &str = r"
    CREATE TABLE project (id INTEGER PRIMARY KEY, name TEXT, folded TEXT COLLATE NOCASE, trimmed TEXT COLLATE RTRIM);
    INSERT INTO project (id, name) VALUES (1, 'TMP_1'), (2, 'TMPX1'), (3, '50% off'), (4, '500 off'), (5, 'a\_b'),
        (6, 'tmp_2'), (7, 'Tmp_3'), (8, 'ÄNDERN'), (9, 'ändern'), (10, NULL), (11, ''), (12, 7);
    UPDATE project SET folded = name, trimmed = name || '  ';";

#[test]
fn wildcards_are_characters_and_case_counts() {
    let sqlite = serve(NAMES);
    for field in ["name", "folded"] {
        let cases: [(C, &str, &[i64]); 14] = [
            (C::StartsWith, "TMP_", &[1]),
            (C::StartsWith, "tmp", &[6]),
            (C::StartsWith, "Ä", &[8]),
            (C::Contains, "50%", &[3]),
            (C::Contains, "\\", &[5]),
            (C::Contains, "_", &[1, 5, 6, 7]),
            (C::EndsWith, " off", &[3, 4]),
            (C::EndsWith, "1", &[1, 2]),
            (C::ContainsIgnoringAsciiCase, "TMP_", &[1, 6, 7]),
            (C::ContainsIgnoringAsciiCase, "NDERN", &[8, 9]),
            (C::ContainsIgnoringAsciiCase, "ÄN", &[8]),
            (C::ContainsIgnoringAsciiCase, "än", &[9]),
            (C::Equal, "tmp_1", &[]),
            (C::Equal, "TMP_1", &[1]),
        ];
        for (comparison, operand, expected) in cases {
            assert_eq!(
                numbers(&sqlite, "project", is(field, comparison, [text(operand)])),
                expected,
                "{field} {comparison:?} {operand}"
            );
        }
    }
}

#[test]
fn the_collation_of_a_column_changes_nothing() {
    let sqlite = serve(NAMES);
    let listed = [text("TMP_1"), text("TMPX1"), text("TMP_2")];
    for field in ["name", "folded"] {
        assert_eq!(numbers(&sqlite, "project", is(field, C::AnyOf, listed.clone())), [1, 2], "{field}");
        assert_eq!(
            numbers(&sqlite, "project", unless(field, C::Equal, [text("tmp_2")])),
            [1, 2, 3, 4, 5, 7, 8, 9, 10, 11, 12]
        );
        // Upper case comes before lower case, and both before what is not ASCII.
        assert_eq!(numbers(&sqlite, "project", is(field, C::Less, [text("TMP_1")])), [2, 3, 4, 11, 12]);
        assert_eq!(numbers(&sqlite, "project", is(field, C::GreaterOrEqual, [text("tmp_2")])), [6, 8, 9]);
    }
    assert_eq!(numbers(&sqlite, "project", is("trimmed", C::Equal, [text("TMP_1")])), NONE);
    assert_eq!(numbers(&sqlite, "project", is("trimmed", C::Equal, [text("TMP_1  ")])), [1]);
    assert_eq!(numbers(&sqlite, "project", is("trimmed", C::AnyOf, [text("TMP_1"), text("TMPX1  ")])), [2]);
}

#[test]
fn an_index_of_the_columns_own_collation_is_used() {
    let sqlite = serve("CREATE TABLE t (id TEXT PRIMARY KEY COLLATE NOCASE); INSERT INTO t VALUES ('Ana'), ('bo');");
    assert_eq!(by_ids(&mut system(&sqlite), "t", &[vec![text("ana")], vec![text("bo")]]), [vec![text("bo")]]);
    assert_eq!(by_ids(&mut system(&sqlite), "t", &[vec![text("Ana")]]), [vec![text("Ana")]]);
}

#[test]
fn an_embedded_nul_ends_nothing() {
    let sqlite = serve(
        "CREATE TABLE t (id INTEGER PRIMARY KEY, c TEXT);
         INSERT INTO t VALUES (1, 'a' || char(0) || 'b'), (2, 'a'), (3, 'ab');",
    );
    assert_eq!(numbers(&sqlite, "t", is("c", C::Contains, [text("b")])), [1, 3]);
    assert_eq!(numbers(&sqlite, "t", is("c", C::EndsWith, [text("\0b")])), [1]);
    assert_eq!(numbers(&sqlite, "t", is("c", C::Equal, [text("a\0b")])), [1]);
    assert_eq!(numbers(&sqlite, "t", is("c", C::Equal, [text("a")])), [2]);
    assert_eq!(numbers(&sqlite, "t", is("c", C::AnyOf, [text("a\0b"), text("zz")])), [1]);
    assert_eq!(numbers(&sqlite, "t", is("c", C::ContainsIgnoringAsciiCase, [text("A\0B")])), [1]);
}

#[test]
fn a_database_in_utf_16_orders_by_utf_8_too() {
    let sql = "CREATE TABLE t (id INTEGER PRIMARY KEY, c TEXT);
               INSERT INTO t VALUES (1, 'z'), (2, 'Ā'), (3, '￿'), (4, '😀'), (5, 'zz'), (6, NULL);";
    for encoding in ["UTF-8", "UTF-16le", "UTF-16be"] {
        let sqlite = serve(&format!("PRAGMA encoding = '{encoding}'; {sql}"));
        assert_eq!(numbers(&sqlite, "t", is("c", C::Greater, [text("Ā")])), [3, 4], "{encoding}");
        assert_eq!(numbers(&sqlite, "t", is("c", C::Greater, [text("￿")])), [4], "{encoding}");
        assert_eq!(numbers(&sqlite, "t", unless("c", C::Less, [text("Ā")])), [2, 3, 4, 6], "{encoding}");
        assert_eq!(numbers(&sqlite, "t", is("c", C::AnyOf, [text("😀"), text("z")])), [1, 4], "{encoding}");
        assert_eq!(numbers(&sqlite, "t", is("c", C::StartsWith, [text("z")])), [1, 5], "{encoding}");
    }
}

#[test]
fn a_text_in_a_column_for_numbers_stays_a_text() {
    let sqlite = configured(
        "CREATE TABLE t (id INTEGER PRIMARY KEY, c STRING); INSERT INTO t VALUES (1, '-a'), (2, 'b'), (3, '7'), (4, '1e2x');",
        "[objects.t]\nfields = { c = \"text\" }",
    );
    // SQLite has made a number of the third, so it does not fit.
    assert_eq!(numbers(&sqlite, "t", unless("c", C::IsNull, [])), [1, 2, 4]);
    // As bytes, `-a` comes before `5`; as SQLite would convert the operand, every text comes behind a number.
    assert_eq!(numbers(&sqlite, "t", is("c", C::Less, [text("5")])), [1, 4]);
    assert_eq!(numbers(&sqlite, "t", is("c", C::Equal, [text("7")])), NONE);
    assert_eq!(numbers(&sqlite, "t", is("c", C::AnyOf, [text("7"), text("b")])), [2]);
}
