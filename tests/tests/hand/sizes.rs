//! Lists that would reach a driver's limit.

use serde_json::json;

use crate::engine::Engine;
use crate::expect::Done;
use crate::place::{Place, Said};

/// What an answer may have: it never repeats the list.
const SHORT: usize = 300;

fn list(items: usize) -> String {
    (1..=items).map(|id| id.to_string()).collect::<Vec<_>>().join(",")
}

/// Confirmed, with this selection.
fn call<E: Engine>(place: &Place<E>, selection: &str) -> Said {
    let arguments = format!(r#"{{"objectName":"projects",{selection},"confirm":true}}"#);
    let said = place.call_text("ana", "delete_records", arguments);
    assert!(said.text.len() < SHORT, "{} bytes", said.text.len());
    said
}

/// The bridge was asked who calls, and no more.
#[track_caller]
fn assert_no_statement<E: Engine>(place: &Place<E>, asked: &[&str]) {
    assert_eq!(place.asked(), asked);
    place.assert_projects_untouched();
}

const ONCE: &[&str] = &["resolve-principal projects"];

pub fn b18_long_lists_of_ids<E: Engine>() {
    let place = Place::<E>::projects();
    for (count, ids) in
        [(201, list(201)), (201, vec!["1"; 201].join(",")), (1_000, list(1_000)), (40_000, list(40_000))]
    {
        let message =
            format!("recordIds has {count} entries; at most 200 are taken in one call. Nothing was read or deleted.");
        call(&place, &format!(r#""recordIds":[{ids}]"#)).refuses("VALIDATION_FAILED", 400, &message);
        assert_no_statement(&place, ONCE);
    }
    let message = "The arguments have 408948 bytes; at most 262144 are taken. Split the call.";
    call(&place, &format!(r#""recordIds":[{}]"#, list(70_000))).refuses("VALIDATION_FAILED", 400, message);
    assert_no_statement(&place, &[]);
    // The cap itself is taken; of 200 ids three are there, can go, and go.
    let said = place
        .call("ana", json!({ "objectName": "projects", "recordIds": (1..=200).collect::<Vec<_>>(), "confirm": true }));
    crate::expect::adds_up(200, &said.json);
    assert_eq!(place.left("projects"), ["2", "4"]);
}

pub fn b18_long_lists_of_operands<E: Engine>() {
    let place = Place::<E>::projects();
    for count in [1_001, 40_000] {
        let message = "where.id.$in has more than 1000 values. Split the call. Nothing was deleted.";
        let filter = format!(r#""where":{{"id":{{"$in":[{}]}}}}"#, list(count));
        call(&place, &filter).refuses("INVALID_FILTER", 400, message);
        assert_no_statement(&place, ONCE);
    }
    let said = call(&place, &format!(r#""where":{{"id":{{"$in":[{}]}}}}"#, list(70_000)));
    let message = "The arguments have 408959 bytes; at most 262144 are taken. Split the call.";
    said.refuses("VALIDATION_FAILED", 400, message);
    assert_no_statement(&place, &[]);
    // The longest list that is taken works.
    let filter = format!(
        r#"{{"objectName":"projects","where":{{"owner":"ana","id":{{"$gt":2,"$in":[{}]}}}},"confirm":true}}"#,
        list(1_000)
    );
    Done { deleted: 2, ..Done::default() }.is("projects", &place.call_text("ana", "delete_records", filter));
    assert_eq!(place.left("projects"), ["1", "2", "4"]);
}

pub fn b18_one_long_id<E: Engine>() {
    let place = Place::<E>::projects();
    let long = "x".repeat(5_000_000);
    let message = "The arguments have 5000057 bytes; at most 262144 are taken. Split the call.";
    call(&place, &format!(r#""recordIds":["{long}"]"#)).refuses("VALIDATION_FAILED", 400, message);
    assert_no_statement(&place, &[]);
    // One that fits the call is still no id.
    let said = call(&place, &format!(r#""recordIds":["{}"]"#, "7".repeat(200_000)));
    assert_eq!(said.json["error"]["code"], "VALIDATION_FAILED", "{}", said.text);
    assert_no_statement(&place, ONCE);
}
