//! The whole exchange with real clients, of both generations, over both transports.

use serde_json::{Value, json};

use super::driver::{Client, Package};
use super::place::{Http, Place};

#[derive(Clone, Copy, PartialEq, Eq)]
enum Transport {
    Stdio,
    Http,
}

/// One client connected to a server of its own.
struct Meeting {
    place: Place,
    server: Option<Http>,
    package: Package,
    mode: &'static str,
}

impl Meeting {
    fn new(package: Package, transport: Transport, mode: &'static str) -> Meeting {
        let place = Place::new();
        let server = (transport == Transport::Http).then(|| place.http());
        Meeting { place, server, package, mode }
    }

    fn client(&self, elicitation: bool) -> Client {
        let mut opening = match &self.server {
            None => json!({ "command": self.place.stdio() }),
            Some(server) => {
                json!({ "url": server.url(), "token": self.place.token("ana", "data:read data:write") })
            }
        };
        opening["mode"] = self.mode.into();
        opening["elicitation"] = elicitation.into();
        let client = Client::open(self.package, &opening);
        let version = if self.mode == "auto" { "2026-07-28" } else { "2025-11-25" };
        assert_eq!(client.version, version);
        client
    }
}

macro_rules! exchanges {
    ($($name:ident: $package:ident, $transport:ident, $mode:literal;)*) => {$(
        mod $name {
            use super::*;

            fn meeting() -> Meeting {
                Meeting::new(Package::$package, Transport::$transport, $mode)
            }

            #[test]
            fn the_tools_are_listed_with_honest_hints() {
                super::the_tools_are_listed_with_honest_hints(&meeting());
            }

            #[test]
            fn a_preview_then_a_deletion_of_what_was_shown() {
                super::a_preview_then_a_deletion_of_what_was_shown(&meeting());
            }

            #[test]
            fn a_person_s_answer_decides() {
                super::a_person_s_answer_decides(&meeting());
            }

            #[test]
            fn who_cannot_be_asked_is_handed_a_command() {
                super::who_cannot_be_asked_is_handed_a_command(&meeting());
            }
        }
    )*};
}

exchanges! {
    python_stdio_legacy: Python, Stdio, "legacy";
    python_stdio_auto: Python, Stdio, "auto";
    python_http_legacy: Python, Http, "legacy";
    python_http_auto: Python, Http, "auto";
    npm_stdio_legacy: Npm, Stdio, "legacy";
    npm_stdio_auto: Npm, Stdio, "auto";
    npm_http_legacy: Npm, Http, "legacy";
    npm_http_auto: Npm, Http, "auto";
}

fn the_tools_are_listed_with_honest_hints(meeting: &Meeting) {
    let tools = meeting.client(false).ask(&json!({ "list": true }));
    let tools = tools["tools"].as_array().unwrap();
    let delete_records = tools.iter().find(|tool| tool["name"] == "delete_records").unwrap();
    let hints = &delete_records["annotations"];
    assert_eq!((&hints["destructiveHint"], &hints["readOnlyHint"]), (&json!(true), &json!(false)));
    assert_eq!((&hints["idempotentHint"], &hints["openWorldHint"]), (&json!(false), &json!(false)));
    for tool in tools {
        assert!(tool["outputSchema"].is_object() && tool["inputSchema"]["additionalProperties"] == false, "{tool}");
        let hints = &tool["annotations"];
        assert_eq!(hints["readOnlyHint"].as_bool().unwrap(), !hints["destructiveHint"].as_bool().unwrap(), "{tool}");
    }
}

/// `note`: nobody is asked. B09, B37, B39, B40.
fn a_preview_then_a_deletion_of_what_was_shown(meeting: &Meeting) {
    let mut client = meeting.client(false);
    let ids = json!(["1", "2", "9"]);
    let preview = client.delete(json!({ "objectName": "note", "recordIds": ids }), Value::Null);
    assert_eq!(preview.code(), "ACTION_CONFIRMATION_REQUIRED");
    let preview = preview.answer()["preview"].clone();
    assert_eq!((&preview["matched"], preview["sampleRecordIds"].as_array().unwrap().len()), (&json!(3), 3));

    // What a client gets wrong is refused, and said.
    for (arguments, code) in [
        (json!({ "objectName": "note", "recordIds": ids, "confirm": "true" }), "VALIDATION_FAILED"),
        (json!({ "objectName": "note", "recordIds": "[1,2]", "confirm": true }), "VALIDATION_FAILED"),
        (json!({ "objectName": "note", "recordIds": "1,2", "confirm": true }), "VALIDATION_FAILED"),
        (json!({ "objectName": "note", "recordIds": 1, "confirm": true }), "VALIDATION_FAILED"),
        (json!({ "objectName": "note", "where": "{\"id\":1}", "confirm": true }), "VALIDATION_FAILED"),
        (json!({ "objectName": "note", "where": "\"{\\\"id\\\":1}\"", "confirm": true }), "VALIDATION_FAILED"),
        (json!({ "objectName": "note", "where": "[]", "confirm": true }), "VALIDATION_FAILED"),
        (json!({ "objectName": "note", "where": "null", "confirm": true }), "VALIDATION_FAILED"),
        (json!({ "objectName": "note", "where": { "id": 1 }, "limit": 1, "confirm": true }), "VALIDATION_FAILED"),
        (json!({ "objectName": "note", "recordIDs": ["1"], "confirm": true }), "VALIDATION_FAILED"),
        (
            json!({ "objectName": "note", "record_ids": ["1"], "where": { "id": 1 }, "confirm": true }),
            "VALIDATION_FAILED",
        ),
        (json!({ "objectName": "note", "where": { "id": 1 }, "sessionId": "s", "confirm": true }), "VALIDATION_FAILED"),
        (json!({ "objectName": "note", "confirm": true }), "VALIDATION_FAILED"),
        (json!({ "objectName": "none", "where": {}, "confirm": true }), "OBJECT_NOT_FOUND"),
    ] {
        assert_eq!(client.delete(arguments.clone(), Value::Null).code(), code, "{arguments}");
    }
    assert_eq!(meeting.place.gone("note"), 0);

    let mut request = json!({ "call": { "name": "delete_records", "arguments":
        { "objectName": "note", "recordIds": ids, "confirm": true, "previewDigest": preview["digest"] } } });
    request["progress"] = true.into();
    let deleted = client.call(request.clone());
    assert_eq!(deleted.deleted(), 2);
    assert_eq!(deleted.answer()["refusals"][0]["code"], "RECORD_LOCKED");
    let last = deleted.0["progress"].as_array().unwrap().last().unwrap();
    assert_eq!((last[0].as_f64(), last[1].as_f64()), (Some(3.0), Some(3.0)));
    assert_eq!(meeting.place.left("note")[..3], [3, 4, 5]);

    // The answer was lost, and the call comes again: nothing else goes. B44.
    assert_eq!(client.call(request).code(), "SELECTION_CHANGED");
    let again = client.delete(json!({ "objectName": "note", "recordIds": ["1", "2"], "confirm": true }), Value::Null);
    assert_eq!((again.deleted(), &again.answer()["notFound"]), (0, &json!(["1", "2"])));
    let unknown = client.call(json!({ "call": { "name": "drop_table", "arguments": {} } }));
    assert!(unknown.0["error"]["message"].as_str().unwrap().contains("drop_table"), "{unknown:?}");
    assert_eq!(meeting.place.gone("note"), 2);
}

/// `task` and `account`: a person is asked. B09, B34, B49.
fn a_person_s_answer_decides(meeting: &Meeting) {
    let mut client = meeting.client(true);
    let tasks = |ids: &[&str]| json!({ "objectName": "task", "recordIds": ids, "confirm": true });
    let one = || tasks(&["5"]);

    let unconfirmed = client
        .delete(json!({ "objectName": "task", "recordIds": ["5"] }), json!({ "action": "accept", "typed": "task 1" }));
    assert_eq!((unconfirmed.code().as_str(), unconfirmed.asked().len()), ("ACTION_CONFIRMATION_REQUIRED", 0));
    for (answer, code) in [
        (json!({ "action": "accept", "typed": "task 2" }), "APPROVAL_MISMATCH"),
        (json!({ "action": "accept", "typed": "Task 1" }), "APPROVAL_MISMATCH"),
        (json!({ "action": "decline" }), "APPROVAL_DECLINED"),
        (json!({ "action": "cancel" }), "APPROVAL_DECLINED"),
        (json!({ "action": "decline", "list_first": true }), "APPROVAL_DECLINED"),
    ] {
        let told = client.delete(one(), answer.clone());
        assert_eq!(told.code(), code, "{answer}");
        let question = r#"Delete 1 record of "task" ("The task 5") on "CRM" [local]? No undo."#;
        assert_eq!(told.asked(), [question], "{answer}");
    }
    let failing = client.delete(one(), json!({ "fail": true }));
    assert_eq!(failing.asked().len(), 1);
    match meeting.mode {
        // The client answers with an error, and the server tells what to do instead.
        "legacy" => assert_eq!(failing.code(), "APPROVAL_UNAVAILABLE"),
        // The client ends the call itself.
        _ => assert!(failing.0["error"].is_object(), "{failing:?}"),
    }
    assert_eq!(meeting.place.gone("task"), 0);

    if meeting.mode == "legacy" {
        // The client gives up while the person still thinks; the yes that comes later counts for nothing.
        let late = json!({ "action": "accept", "typed": "task 1", "after_ms": 1500 });
        let call = json!({ "name": "delete_records", "arguments": one() });
        let gone = client.call(json!({ "call": call, "answer": late, "timeout_ms": 500 }));
        assert!(gone.0["error"].is_object(), "{gone:?}");
        std::thread::sleep(std::time::Duration::from_millis(1500));
        assert_eq!(meeting.place.gone("task"), 0);
    }

    let deleted =
        client.delete(tasks(&["5", "6", "9"]), json!({ "action": "accept", "typed": "task 3", "after_ms": 300 }));
    assert_eq!((deleted.deleted(), &deleted.answer()["refused"]), (2, &json!(1)));
    assert_eq!(meeting.place.gone("task"), 2);

    let accounts = json!({ "objectName": "account", "where": { "id": { "$lte": 3 } }, "confirm": true });
    assert_eq!(client.delete(accounts.clone(), json!({ "action": "decline" })).code(), "APPROVAL_DECLINED");
    assert_eq!(client.delete(accounts, json!({ "action": "accept" })).deleted(), 3);
    assert_eq!(meeting.place.left("account")[0], 4);
}

/// B34: a client without forms; and the command, run by a shell as it stands.
fn who_cannot_be_asked_is_handed_a_command(meeting: &Meeting) {
    let mut client = meeting.client(false);
    let told = client.delete(json!({ "objectName": "task", "recordIds": ["5"], "confirm": true }), Value::Null);
    assert_eq!((told.code().as_str(), told.asked().len()), ("APPROVAL_UNAVAILABLE", 0));
    let command = told.answer()["error"]["details"]["command"].as_str().unwrap().to_owned();
    let (program, rest) = command.split_once(' ').unwrap();
    assert_eq!(program, "deletegate");
    let shell = format!("{} {rest}", conformance::clients::program().display());
    let output = std::process::Command::new("sh").args(["-c", &shell]).output().unwrap();
    // Here is no terminal, so it asks nobody; with the wrong arguments it would say so instead.
    assert!(String::from_utf8_lossy(&output.stderr).contains("needs a terminal"), "{command}: {output:?}");
    assert_eq!(meeting.place.gone("task"), 0);
}
