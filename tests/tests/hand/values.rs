//! Texts that an engine would read otherwise than they stand.

use serde_json::json;

use crate::engine::Engine;
use crate::expect::Done;
use crate::place::Place;

/// A filter on `name`, and the ids that it means.
type Means<'a> = (&'a str, &'a str, &'a [&'a str]);

#[track_caller]
fn assert_means<E: Engine>(place: &Place<E>, object: &str, (operator, operand, ids): Means<'_>) {
    let said = place.call("ana", json!({ "objectName": object, "where": { "name": { operator: operand } } }));
    assert_eq!(said.sample(), &json!(ids), "{operator} {operand}");
}

pub fn b14_wildcards_are_letters<E: Engine>() {
    let place = Place::<E>::projects();
    let cases: [Means<'_>; 10] = [
        ("$startsWith", "TMP_", &["1"]),
        ("$contains", "50%", &["3"]),
        ("$contains", "\\", &["6"]),
        ("$contains", "\\_", &["6"]),
        ("$endsWith", "_b", &["6"]),
        ("$icontains", "tmp_", &["1"]),
        ("$notContains", "_", &["2", "3", "4"]),
        ("$startsWith", "%", &[]),
        ("$contains", "[", &[]),
        ("$startsWith", "*", &[]),
    ];
    cases.into_iter().for_each(|case| assert_means(&place, "projects", case));
    let by = |operator: &str, operand: &str| json!({ "objectName": "projects", "where": { "name": { operator: operand } }, "confirm": true });
    for (operator, operand) in [("$startsWith", "TMP_"), ("$contains", "50%"), ("$contains", "\\")] {
        Done { deleted: 1, ..Done::default() }.is("projects", &place.call("ana", by(operator, operand)));
    }
    assert_eq!(place.left("projects"), ["2", "4"]);
}

/// Also in a column whose own collation takes letters of both cases for one.
pub fn b15_letter_case_counts<E: Engine>() {
    let (blind, before) = E::CASE_BLIND;
    for (collation, before) in [("", ""), (blind, before)] {
        let place = Place::<E>::tables(&format!(
            "{before} CREATE TABLE labels (id integer NOT NULL PRIMARY KEY, name text {collation} NOT NULL);
             INSERT INTO labels VALUES (1, 'TMP_1'), (2, 'tmp_2'), (3, 'Tmp_3'), (4, 'ÄNDERN'), (5, 'ändern')"
        ));
        let cases: [Means<'_>; 10] = [
            ("$startsWith", "tmp", &["2"]),
            ("$startsWith", "TMP", &["1"]),
            ("$eq", "TMP_2", &[]),
            ("$eq", "tmp_2", &["2"]),
            ("$contains", "NDER", &["4"]),
            ("$icontains", "tmp_", &["1", "2", "3"]),
            ("$icontains", "NDER", &["4", "5"]),
            ("$icontains", "ändern", &["5"]),
            ("$icontains", "ÄNDERN", &["4"]),
            ("$gt", "Tmp", &["2", "3", "4", "5"]),
        ];
        cases.into_iter().for_each(|case| assert_means(&place, "labels", case));
        let filter = json!({ "objectName": "labels", "where": { "name": { "$startsWith": "tmp" } }, "confirm": true });
        Done { deleted: 1, ..Done::default() }.is("labels", &place.call("ana", filter));
        assert_eq!(place.left("labels"), ["1", "3", "4", "5"], "{collation}");
    }
}
