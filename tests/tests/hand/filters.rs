//! Filters that lost a part, or were made to do harm.

use serde_json::{Value as Json, json};

use crate::engine::Engine;
use crate::expect::Done;
use crate::place::{Place, Setup};

const TEXT: &str =
    "$eq $ne $gt $gte $lt $lte $in $nin $between $contains $notContains $startsWith $endsWith $icontains $null $exists";
const INTEGER: &str = "$eq $ne $gt $gte $lt $lte $in $nin $between $null $exists";
const FIELDS: &str = r#"Its fields: "id", "name", "owner", "status", "archived", "note"."#;

/// A confirmed call by filter.
fn by(filter: &Json) -> Json {
    json!({ "objectName": "projects", "where": filter, "confirm": true })
}

/// The bridge was asked for no record.
#[track_caller]
fn assert_nothing_read<E: Engine>(place: &Place<E>) {
    let asked = place.asked();
    assert!(asked.iter().all(|line| line.starts_with("resolve-principal")), "{asked:?}");
}

/// The next call works: it shows project 1.
#[track_caller]
fn assert_next_call_works<E: Engine>(place: &Place<E>) {
    let said = place.call("ana", json!({ "objectName": "projects", "where": { "id": 1 } }));
    assert_eq!(said.sample(), &json!(["1"]));
    place.asked();
}

pub fn b01_a_condition_whose_value_went_missing<E: Engine>() {
    let place = Place::<E>::new(Setup { projects: "unfiltered = false", ..Setup::default() });
    for (arguments, code, message) in [
        (
            by(&json!({})),
            "FILTER_REQUIRED",
            r#"Every record of "projects" can't be deleted at once here: give a filter or recordIds. Nothing was deleted."#
                .to_owned(),
        ),
        (
            by(&json!({ "owner": {} })),
            "INVALID_FILTER",
            format!(r#"where.owner is {{}}: a condition needs an operator. "owner" is text and takes {TEXT}. Nothing was deleted."#),
        ),
        (
            json!({ "objectName": "projects", "recordIds": [], "confirm": true }),
            "VALIDATION_FAILED",
            "recordIds is empty, which names no record. Give at least one id. Nothing was deleted.".to_owned(),
        ),
        (
            json!({ "objectName": "projects", "confirm": true }),
            "VALIDATION_FAILED",
            "Give where (a filter; {} means every record) or recordIds. Nothing was deleted.".to_owned(),
        ),
    ] {
        place.call("ana", arguments).refuses(code, 400, &message);
        assert_nothing_read(&place);
    }
    for matches_none in [json!({ "owner": { "$eq": null } }), json!({ "owner": null }), json!({ "id": { "$in": [] } })]
    {
        Done::default().is("projects", &place.call("ana", by(&matches_none)));
    }
    place.assert_projects_untouched();
    // Null is a value like any other: the one project without a status. Its task keeps it from going.
    let said = place.call("ana", json!({ "objectName": "projects", "where": { "status": { "$eq": null } } }));
    assert_eq!(said.sample(), &json!(["2"]));
}

pub fn b04_nothing_misspelt_is_skipped<E: Engine>() {
    let place = Place::<E>::projects();
    for (filter, code, message) in [
        (
            json!({ "stauts": "draft" }),
            "INVALID_FIELD",
            format!(r#""projects" has no field "stauts". Did you mean "status"? {FIELDS} Nothing was deleted."#),
        ),
        (
            json!({ "owner": "ana", "stauts": "draft" }),
            "INVALID_FIELD",
            format!(r#""projects" has no field "stauts". Did you mean "status"? {FIELDS} Nothing was deleted."#),
        ),
        (
            json!({ "id": { "$lessThan": 5 } }),
            "INVALID_FILTER",
            format!(
                r#"where.id.$lessThan: there is no operator "$lessThan". Did you mean "$lt"? "id" is an integer and takes {INTEGER}. Nothing was deleted."#
            ),
        ),
        (
            json!({ "status": "draft", "$limit": 1 }),
            "INVALID_FILTER",
            "where.$limit: there is no such operator. Among fields stand $and, $or and $not. Nothing was deleted."
                .to_owned(),
        ),
        (
            json!({ "id": { "lt": 5 } }),
            "INVALID_FILTER",
            format!(
                r#"where.id.lt: "id" holds "lt", which is no operator (operators begin with $; a field can't hold an object of fields). Did you mean "$lt"? "id" is an integer and takes {INTEGER}. Nothing was deleted."#
            ),
        ),
    ] {
        place.call("ana", by(&filter)).refuses(code, 400, &message);
        assert_nothing_read(&place);
    }
    place.assert_projects_untouched();
}

pub fn b17_hostile_keys<E: Engine>() {
    let place = Place::<E>::projects();
    for (field, operand, near) in [
        ("__proto__", json!({ "$ne": 1 }), ""),
        ("constructor", json!(1), ""),
        ("toString", json!(1), ""),
        ("hasOwnProperty", json!({ "$exists": true }), ""),
        ("id\" OR 1=1 --", json!(1), ""),
        // What each engine itself knows of every row.
        ("rowid", json!(1), ""),
        ("ctid", json!({ "$exists": true }), " Did you mean \"id\"?"),
        ("xmin", json!({ "$ne": 1 }), ""),
    ] {
        let said = place.call("ana", by(&json!({ field: operand })));
        let shown = json!(field).to_string();
        let message = format!(r#""projects" has no field {shown}.{near} {FIELDS} Nothing was deleted."#);
        said.refuses("INVALID_FIELD", 400, &message);
        assert_nothing_read(&place);
        assert_next_call_works(&place);
    }
    let message = format!(
        r#"where.name.__proto__: "name" holds "__proto__", which is no operator (operators begin with $; a field can't hold an object of fields). "name" is text and takes {TEXT}. Nothing was deleted."#
    );
    place.call("ana", by(&json!({ "name": { "__proto__": 1 } }))).refuses("INVALID_FILTER", 400, &message);
    // A value may be as hostile as it likes: it is bound, and matches none.
    for value in ["'; DELETE FROM projects; --", "__proto__", "' OR '1'='1"] {
        Done::default().is("projects", &place.call("ana", by(&json!({ "name": value }))));
    }
    place.assert_projects_untouched();
}

pub fn b17_nesting<E: Engine>() {
    let place = Place::<E>::projects();
    let nested = |depth: usize| format!("{}{{}}{}", r#"{"$not":"#.repeat(depth), "}".repeat(depth));
    for arguments in [
        format!(r#"{{"objectName":"projects","where":{},"confirm":true}}"#, nested(20_000)),
        format!(r#"{{"objectName":"projects","where":{{"id":1}},"confirm":true,"extra":{}}}"#, nested(20_000)),
        format!(
            r#"{{"objectName":"projects","recordIds":{}1{},"confirm":true}}"#,
            "[".repeat(20_000),
            "]".repeat(20_000)
        ),
    ] {
        let said = place.call_text("ana", "delete_records", arguments);
        said.refuses("VALIDATION_FAILED", 400, "The text is nested deeper than 32 levels.");
        assert_eq!(place.asked(), [""; 0]);
        assert_next_call_works(&place);
    }
    place.assert_projects_untouched();
}
