//! What is told to be deleted is what the database deleted.

use serde_json::json;

use crate::engine::Engine;
use crate::expect::{DENIED, Done, RESTRICTED, adds_up};
use crate::place::{Place, Said, Setup};
use crate::tables::PROJECTS;

fn delete<E: Engine>(place: &Place<E>, ids: &[u32]) -> Said {
    let said = place.call("ana", json!({ "objectName": "projects", "recordIds": ids, "confirm": true }));
    adds_up(ids.len(), &said.json);
    said
}

pub fn b06_partly_applied<E: Engine>() {
    let place = Place::<E>::projects();
    let expected =
        Done { deleted: 2, refused: &[(RESTRICTED, &["2"]), (DENIED, &["4"])], not_found: &["5"], kept: &[] };
    expected.is("projects", &delete(&place, &[1, 2, 3, 4, 5]));
    assert_eq!(place.left("projects"), ["2", "4", "6"]);
    assert_eq!(place.left("comments"), ["1", "2", "3"]);
    assert_eq!(place.left("tasks"), ["1"]);
}

/// Ana sees bo's project, and its deletion is no error and no deletion.
pub fn b23_what_a_policy_keeps<E: Engine>() {
    let place = Place::<E>::projects();
    let preview = place.call("ana", json!({ "objectName": "projects", "recordIds": [1, 4] }));
    assert_eq!(preview.sample(), &json!(["1", "4"]));
    Done { deleted: 1, refused: &[(DENIED, &["4"])], ..Done::default() }.is("projects", &delete(&place, &[1, 4]));
    assert_eq!(place.left("projects"), ["2", "3", "4", "6"]);
    let alone =
        place.call_tool("ana", "delete_record", json!({ "objectName": "projects", "recordId": 4, "confirm": true }));
    let (code, status, message, retryable) = DENIED;
    let error = json!({ "code": code, "status": status, "message": message, "details": { "retryable": retryable } });
    assert_eq!(alone.text, json!({ "error": error }).to_string());
    assert_eq!(place.left("projects"), ["2", "3", "4", "6"]);
}

pub fn b23_what_a_trigger_keeps<E: Engine>() {
    let place = Place::<E>::new(Setup { sql: &format!("{PROJECTS} {}", E::KEEPER), ..Setup::default() });
    Done { kept: &["1"], ..Done::default() }.is("projects", &delete(&place, &[1]));
    place.assert_projects_untouched();
    Done { deleted: 1, kept: &["1"], ..Done::default() }.is("projects", &delete(&place, &[1, 3]));
    assert_eq!(place.left("projects"), ["1", "2", "4", "6"]);
    let alone =
        place.call_tool("ana", "delete_record", json!({ "objectName": "projects", "recordId": 1, "confirm": true }));
    assert_eq!(
        (&alone.json["error"]["code"], &alone.json["error"]["status"]),
        (&json!("RECORD_NOT_REMOVED"), &json!(409))
    );
    assert_eq!(place.left("comments"), ["1", "2", "3", "4"]);
}

/// Project 1 with a task, which restricts it, and three comments, which go with it.
const RESTRICTED_PROJECT: &str = "DELETE FROM tasks; DELETE FROM comments; INSERT INTO tasks VALUES (1, 1);
     INSERT INTO comments VALUES (1, 1), (2, 1), (3, 1);";

fn restricted<E: Engine>() -> Place<E> {
    Place::new(Setup { sql: &format!("{PROJECTS} {RESTRICTED_PROJECT}"), ..Setup::default() })
}

#[track_caller]
fn assert_restricts<E: Engine>(place: &Place<E>) {
    Done { refused: &[(RESTRICTED, &["1"])], ..Done::default() }.is("projects", &delete(place, &[1]));
    assert_eq!(place.left("projects"), ["1", "2", "3", "4", "6"]);
    assert_eq!(place.left("comments"), ["1", "2", "3"]);
}

pub fn b28_foreign_keys_on_each_connection<E: Engine>() {
    let mut place = restricted::<E>();
    // A fresh connection, the same again, others of the pool, one that replaces a cut one, and those of the next start.
    assert_restricts(&place);
    assert_restricts(&place);
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| (0..5).for_each(|_| assert_restricts(&place)));
        }
    });
    assert_restricts(&place);
    place.engine.cut();
    assert_restricts(&place);
    place.restart();
    assert_restricts(&place);
    assert_restricts(&place);
    assert_eq!(place.left("tasks"), ["1"]);
}

pub fn b28_comments_go_with_their_project<E: Engine>() {
    let place = restricted::<E>();
    let preview = place.call("ana", json!({ "objectName": "projects", "recordIds": [1] }));
    let dependents = json!([{ "object": "comments", "count": 3, "effect": "cascade" }, { "object": "tasks", "count": 1, "effect": "restrict" }]);
    assert_eq!(preview.json["preview"]["dependents"], dependents, "{}", preview.text);
    assert_restricts(&place);
    let task = place.call("ana", json!({ "objectName": "tasks", "recordIds": [1], "confirm": true }));
    Done { deleted: 1, ..Done::default() }.is("tasks", &task);
    Done { deleted: 1, ..Done::default() }.is("projects", &delete(&place, &[1]));
    assert_eq!(place.left("projects"), ["2", "3", "4", "6"]);
    assert_eq!(place.left("comments"), [""; 0]);
}
