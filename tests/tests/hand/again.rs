//! The answer was lost, and the call comes again.

use serde_json::{Value as Json, json};

use crate::engine::Engine;
use crate::expect::{Done, adds_up};
use crate::place::{Place, Setup};
use crate::tables::PROJECTS;

fn drafts(digest: Option<&str>) -> Json {
    let mut arguments = json!({ "objectName": "projects", "where": { "status": "draft" }, "confirm": true });
    if let Some(digest) = digest {
        arguments["previewDigest"] = json!(digest);
    }
    arguments
}

pub fn b44_the_same_ids<E: Engine>() {
    let mut place = Place::<E>::projects();
    let arguments = json!({ "objectName": "projects", "recordIds": [1, 3, 3], "confirm": true });
    // Nobody reads the first answer.
    let _lost = place.call("ana", arguments.clone());
    assert_eq!(place.left("projects"), ["2", "4", "6"]);
    for _ in 0..2 {
        let said = place.call("ana", arguments.clone());
        Done { not_found: &["1", "3"], ..Done::default() }.is("projects", &said);
        adds_up(2, &said.json);
        assert_eq!(place.left("projects"), ["2", "4", "6"]);
        place.restart();
    }
    let alone = json!({ "objectName": "projects", "recordId": 1, "confirm": true });
    let said = place.call_tool("ana", "delete_record", alone);
    assert_eq!((&said.json["error"]["code"], &said.json["error"]["status"]), (&json!("RECORD_NOT_FOUND"), &json!(404)));
}

pub fn b44_the_same_filter<E: Engine>() {
    let place = Place::<E>::projects();
    let preview = place.call("ana", json!({ "objectName": "projects", "where": { "status": "draft" } }));
    assert_eq!(preview.sample(), &json!(["1", "3"]));
    let _lost = place.call("ana", drafts(Some(preview.digest())));
    assert_eq!(place.left("projects"), ["2", "4", "6"]);
    place.engine.run("INSERT INTO projects VALUES (9, 'New', 'ana', 'draft', FALSE, NULL)");
    // The old consent was for other records.
    let said = place.call("ana", drafts(Some(preview.digest())));
    assert_eq!(
        (&said.json["error"]["code"], &said.json["error"]["status"]),
        (&json!("SELECTION_CHANGED"), &json!(409))
    );
    assert_eq!(said.json["preview"]["sampleRecordIds"], json!(["9"]));
    assert_eq!(place.left("projects"), ["2", "4", "6", "9"]);
    // With the same row back in place of the old it would still be another.
    place.engine.run("INSERT INTO projects VALUES (1, 'TMP_1', 'ana', 'draft', FALSE, 'another')");
    let said = place.call("ana", drafts(Some(preview.digest())));
    assert_eq!(said.json["error"]["code"], "SELECTION_CHANGED", "{}", said.text);
    assert_eq!(place.left("projects"), ["1", "2", "4", "6", "9"]);
    // Without a digest the filter means what it says now.
    Done { deleted: 2, ..Done::default() }.is("projects", &place.call("ana", drafts(None)));
    Done::default().is("projects", &place.call("ana", drafts(None)));
    assert_eq!(place.left("projects"), ["2", "4", "6"]);
}

pub fn b44_a_soft_deletion<E: Engine>() {
    let sql = format!("{PROJECTS} ALTER TABLE projects ADD COLUMN deleted_at timestamptz;");
    let place = Place::<E>::new(Setup { sql: &sql, projects: "soft-delete = \"deleted_at\"", ..Setup::default() });
    let times = || place.engine.column("SELECT deleted_at FROM projects ORDER BY id");
    let arguments = json!({ "objectName": "projects", "recordIds": [1], "confirm": true });
    Done { deleted: 1, ..Done::default() }.is("projects", &place.call("ana", arguments.clone()));
    let first = times();
    assert_eq!(first.iter().filter(|time| *time == "NULL").count(), 4);
    assert_ne!(first[0], "NULL");
    Done { not_found: &["1"], ..Done::default() }.is("projects", &place.call("ana", arguments));
    Done { deleted: 1, ..Done::default() }.is("projects", &place.call("ana", drafts(None)));
    assert_eq!(times()[0], first[0]);
    assert_ne!(times()[2], "NULL");
    Done::default().is("projects", &place.call("ana", drafts(None)));
    assert_eq!(place.left("projects"), ["1", "2", "3", "4", "6"]);
    assert_eq!(place.left("comments"), ["1", "2", "3", "4"]);
}
