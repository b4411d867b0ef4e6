//! A server over stdio: a question while other things go on, cancelling, stopping, and nothing but messages on stdout.

use std::io::{BufRead, BufReader, Write};
use std::process::Command;
use std::time::Duration;

use conformance::clients::program;
use rusqlite::Connection;
use serde_json::{Value, json};

use super::place::{Place, terminate};
use super::raw::Stdio;

fn call(id: i64, arguments: Value) -> String {
    let params = json!({ "name": "delete_records", "arguments": arguments });
    json!({ "jsonrpc": "2.0", "id": id, "method": "tools/call", "params": params }).to_string()
}

fn code(response: &Value) -> String {
    let text = response["result"]["content"][0]["text"].as_str().unwrap_or_else(|| panic!("no answer: {response}"));
    let answer: Value = serde_json::from_str(text).unwrap();
    answer["error"]["code"].as_str().unwrap_or("answered").to_owned()
}

/// B34: whatever else a client may say in place of an answer.
#[test]
fn only_a_valid_accept_deletes() {
    let place = Place::new();
    let mut server = Stdio::start(&place);
    server.initialize("2025-06-18", json!({ "elicitation": {} }));
    let right = json!({ "confirmation": "task 1" });
    let answers = [
        (json!({ "error": { "code": -32601, "message": "no" } }), "APPROVAL_UNAVAILABLE"),
        (json!({ "error": { "code": -32603, "message": "no" } }), "APPROVAL_UNAVAILABLE"),
        (json!({ "result": { "action": "cancel" } }), "APPROVAL_DECLINED"),
        (json!({ "result": { "action": "decline", "content": right } }), "APPROVAL_DECLINED"),
        (json!({ "result": { "action": "reject" } }), "APPROVAL_DECLINED"),
        (json!({ "result": { "action": "", "content": right } }), "APPROVAL_DECLINED"),
        (json!({ "result": { "action": "ACCEPT", "content": right } }), "APPROVAL_DECLINED"),
        (json!({ "result": { "content": right } }), "APPROVAL_DECLINED"),
        (json!({ "result": {} }), "APPROVAL_DECLINED"),
        (json!({ "result": { "action": "accept" } }), "APPROVAL_MISMATCH"),
        (json!({ "result": { "action": "accept", "content": null } }), "APPROVAL_MISMATCH"),
        (json!({ "result": { "action": "accept", "content": { "confirmation": 1 } } }), "APPROVAL_MISMATCH"),
        (json!({ "result": { "action": "accept", "content": { "confirmation": "task 1 " } } }), "APPROVAL_MISMATCH"),
    ];
    for (id, (answer, expected)) in (1..).zip(answers) {
        server.write(call(id, json!({ "objectName": "task", "recordIds": [5], "confirm": true })));
        let question = server.read();
        assert_eq!(question["method"], "elicitation/create", "{question}");
        let mut response = answer.clone();
        response["jsonrpc"] = "2.0".into();
        response["id"] = question["id"].clone();
        server.write(response.to_string());
        assert_eq!(code(&server.response(id)), expected, "{answer}");
    }
    assert_eq!(place.gone("task"), 0);
}

#[test]
fn an_answer_that_nobody_asked_for_counts_for_nothing() {
    let place = Place::new();
    let mut server = Stdio::start(&place);
    server.initialize("2025-11-25", json!({ "elicitation": { "form": {} } }));
    let accept = |id: &Value| {
        json!({ "jsonrpc": "2.0", "id": id, "result": { "action": "accept", "content": { "confirmation": "task 1" } } })
            .to_string()
    };
    for id in [json!(0), json!(1), json!("a"), json!(-1)] {
        server.write(accept(&id));
    }
    server.write(call(1, json!({ "objectName": "task", "recordIds": [5], "confirm": true })));
    let question = server.read();
    // Answers to other questions do not answer this one.
    server.write(accept(&json!("x")));
    server.write(accept(&json!(question["id"].as_i64().unwrap() + 1)));
    server.write(r#"{"jsonrpc":"2.0","id":2,"method":"ping"}"#);
    assert!(server.response(2)["result"].is_object());
    assert_eq!(place.gone("task"), 0);
    server.write(accept(&question["id"]));
    assert_eq!(code(&server.response(1)), "answered");
    // Nor does the same answer count for the next question.
    server.write(accept(&question["id"]));
    server.write(call(3, json!({ "objectName": "task", "recordIds": [6], "confirm": true })));
    assert_eq!(server.read()["method"], "elicitation/create");
    server.write(accept(&question["id"]));
    server.write(r#"{"jsonrpc":"2.0","id":4,"method":"ping"}"#);
    server.response(4);
    assert_eq!(place.gone("task"), 1);
}

/// A client that only declared URLs is sent no form.
#[test]
fn a_form_is_not_sent_to_a_client_without_forms() {
    for capabilities in [json!({}), json!({ "elicitation": { "url": {} } })] {
        let place = Place::new();
        let mut server = Stdio::start(&place);
        server.initialize("2025-11-25", capabilities);
        server.write(call(1, json!({ "objectName": "task", "recordIds": [5], "confirm": true })));
        let first = server.read();
        assert_eq!((&first["id"], code(&first).as_str()), (&json!(1), "APPROVAL_UNAVAILABLE"));
        assert_eq!(place.gone("task"), 0);
    }
}

#[test]
fn while_a_question_is_open_everything_else_is_answered_and_only_so_many_are_open() {
    let place = Place::with("questions-per-caller = 2");
    let mut server = Stdio::start(&place);
    server.initialize("2025-11-25", json!({ "elicitation": {} }));
    let open: Vec<Value> = (1..=2)
        .map(|id| {
            server.write(call(id, json!({ "objectName": "task", "recordIds": [id], "confirm": true })));
            server.read()["id"].clone()
        })
        .collect();
    server.write(call(3, json!({ "objectName": "task", "recordIds": [3], "confirm": true })));
    assert_eq!(code(&server.response(3)), "TOO_MANY_REQUESTS");
    server.write(call(4, json!({ "objectName": "note", "recordIds": [4], "confirm": true })));
    assert_eq!(code(&server.response(4)), "answered");
    for (id, question) in (1..).zip(&open) {
        let content = json!({ "confirmation": "task 1" });
        let result = json!({ "action": "accept", "content": content });
        server.write(json!({ "jsonrpc": "2.0", "id": question, "result": result }).to_string());
        assert_eq!(code(&server.response(id)), "answered");
    }
    assert_eq!((place.gone("task"), place.gone("note")), (2, 1));
}

#[test]
fn a_cancelled_question_is_withdrawn_and_a_late_yes_deletes_nothing() {
    let place = Place::new();
    let mut server = Stdio::start(&place);
    server.initialize("2025-11-25", json!({ "elicitation": {} }));
    server.write(call(1, json!({ "objectName": "task", "recordIds": [5], "confirm": true })));
    let question = server.read();
    server.write(r#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1,"reason":"enough"}}"#);
    let withdrawn = server.read();
    assert_eq!(withdrawn["method"], "notifications/cancelled");
    assert_eq!(withdrawn["params"]["requestId"], question["id"]);
    let result = json!({ "action": "accept", "content": { "confirmation": "task 1" } });
    server.write(json!({ "jsonrpc": "2.0", "id": question["id"], "result": result }).to_string());
    server.write(r#"{"jsonrpc":"2.0","id":2,"method":"ping"}"#);
    server.response(2);
    std::thread::sleep(Duration::from_millis(300));
    assert_eq!(place.gone("task"), 0);
}

/// Makes each removal of a note take a while, by a lock that another connection holds now and then.
fn slow(place: &Place) {
    let database = Connection::open(place.path("crm.db")).unwrap();
    let trigger = "CREATE TRIGGER slow BEFORE DELETE ON note BEGIN
        SELECT count(*) FROM (WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 60000) SELECT i FROM n);
        END;";
    database.execute_batch(trigger).unwrap();
}

#[test]
fn cancelling_stops_the_loop_at_the_next_record() {
    let place = Place::new();
    slow(&place);
    let mut server = Stdio::start(&place);
    server.initialize("2025-11-25", json!({}));
    server.write(
        json!({ "jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": { "name": "delete_records",
            "arguments": { "objectName": "note", "where": { "id": { "$lte": 200 } }, "confirm": true },
            "_meta": { "progressToken": "p" } } })
        .to_string(),
    );
    let progress = server.read();
    assert_eq!(progress["method"], "notifications/progress", "{progress}");
    server.write(r#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}"#);
    // The end of the input ends the server once the record in flight is done.
    server.input = None;
    assert!(server.child.wait().unwrap().success());
    let gone = place.gone("note");
    assert!(gone > 0 && gone < 180, "{gone} of 200 went, 20 of which are locked");
}

#[test]
fn sigterm_finishes_the_record_in_flight_and_reports() {
    let place = Place::new();
    slow(&place);
    let mut server = Stdio::start(&place);
    server.initialize("2025-11-25", json!({ "elicitation": {} }));
    server.write(call(1, json!({ "objectName": "task", "recordIds": [5], "confirm": true })));
    assert_eq!(server.read()["method"], "elicitation/create");
    server.write(
        json!({ "jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": { "name": "delete_records",
            "arguments": { "objectName": "note", "where": { "id": { "$lte": 200 } }, "confirm": true },
            "_meta": { "progressToken": "p" } } })
        .to_string(),
    );
    assert_eq!(server.read()["method"], "notifications/progress");
    terminate(&server.child);
    assert!(server.child.wait().unwrap().success());
    let rest = server.rest();
    let response = |id: i64| rest.iter().find(|message| message["id"] == id && message.get("method").is_none());
    let stopped = response(2).unwrap_or_else(|| panic!("no report: {rest:?}"));
    let text = stopped["result"]["content"][0]["text"].as_str().unwrap();
    let answer: Value = serde_json::from_str(text).unwrap();
    assert_eq!(answer["error"]["code"], "CANCELLED", "{answer}");
    assert_eq!(answer["progress"]["deleted"], place.gone("note"));
    assert!(answer["progress"]["notAttempted"].as_u64().unwrap() > 0, "{answer}");
    assert_eq!(code(response(1).unwrap()), "CANCELLED");
    assert_eq!(place.gone("task"), 0);
}

#[test]
fn only_so_many_calls_run_at_once_and_the_others_are_refused_politely() {
    let place = Place::with("calls-per-caller = 1");
    slow(&place);
    let mut server = Stdio::start(&place);
    server.initialize("2025-11-25", json!({}));
    server.write(
        json!({ "jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": { "name": "delete_records",
            "arguments": { "objectName": "note", "where": { "id": { "$lte": 30 } }, "confirm": true },
            "_meta": { "progressToken": "p" } } })
        .to_string(),
    );
    assert_eq!(server.read()["method"], "notifications/progress");
    server.write(call(2, json!({ "objectName": "task", "recordIds": [5] })));
    assert_eq!(code(&server.response(2)), "TOO_MANY_REQUESTS");
    assert_eq!(code(&server.response(1)), "answered");
    server.write(call(3, json!({ "objectName": "task", "recordIds": [5] })));
    assert_eq!(code(&server.response(3)), "ACTION_CONFIRMATION_REQUIRED");
    assert_eq!(place.gone("note"), 27);
}

/// One client over stdio and others over HTTP: each as who they are, and the others stay when the one has gone.
#[test]
fn both_transports_at_once() {
    let place = Place::new();
    let mut server = place.http_and(&["--stdio", "--actor", "ana"]);
    let mut input = server.child.stdin.take().unwrap();
    let mut output = BufReader::new(server.child.stdout.take().unwrap()).lines();
    let meta = super::raw::meta(json!({}));
    let params = json!({ "name": "delete_records", "_meta": meta,
        "arguments": { "objectName": "note", "recordIds": [1], "confirm": true } });
    writeln!(input, "{}", json!({ "jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params })).unwrap();
    let response: Value = serde_json::from_str(&output.next().unwrap().unwrap()).unwrap();
    assert_eq!(response["result"]["structuredContent"]["deleted"], 1, "{response}");
    drop(input);
    let token = place.token("bo", "data:read data:write");
    let body = super::raw::call(r#"{"objectName":"note","recordIds":[2],"confirm":true}"#, "", json!({}));
    assert_eq!(super::raw::post(&server, &token, "delete_records", body.as_bytes()).answer()["deleted"], 1);
    let log = server.log();
    assert!(log.contains(r#"actor="ana""#) && log.contains(r#"actor="bo""#), "{log}");
    server.terminate();
    assert!(server.child.wait().unwrap().success());
}

/// B49: what is not spoken is not offered.
#[test]
fn the_revisions_that_are_spoken() {
    let place = Place::new();
    for (asked, agreed) in [
        ("2025-06-18", "2025-06-18"),
        ("2025-11-25", "2025-11-25"),
        ("2024-11-05", "2025-11-25"),
        ("2025-03-26", "2025-11-25"),
        ("2099-01-01", "2025-11-25"),
    ] {
        let mut server = Stdio::start(&place);
        assert_eq!(server.initialize(asked, json!({}))["result"]["protocolVersion"], agreed, "{asked}");
    }
    let mut server = Stdio::start(&place);
    let params = json!({ "_meta": super::raw::meta(json!({})) });
    server.write(json!({ "jsonrpc": "2.0", "id": 1, "method": "server/discover", "params": params }).to_string());
    let versions = server.read()["result"]["supportedVersions"].clone();
    assert_eq!(versions, json!(["2025-06-18", "2025-11-25", "2026-07-28"]));
}

/// B41: with everything logged that can be logged.
#[test]
fn standard_output_carries_messages_only() {
    let place = Place::new();
    let mut server = Stdio::with(&place, &[("RUST_LOG", "trace"), ("RUST_BACKTRACE", "1")]);
    server.initialize("2025-11-25", json!({}));
    server.write("nonsense");
    server.write(call(1, json!({ "objectName": "note", "recordIds": [1, 9], "confirm": true })));
    server.response(1);
    server.input = None;
    server.child.wait().unwrap();
    // Reading parses each line.
    server.rest();

    let missing = Command::new(program()).args(["serve", "--stdio", "--engine", "sqlite:none.db"]).output().unwrap();
    assert_eq!((missing.status.code(), missing.stdout.len()), (Some(2), 0));
    assert!(String::from_utf8_lossy(&missing.stderr).contains("none.db"));
}

/// B33: nobody sees nothing, whatever the tool list says.
#[test]
fn without_an_actor_nothing_is_read() {
    let place = Place::new();
    for arguments in [&["--actor", ""][..], &["--actor", "null"], &["--actor", "  "], &[]] {
        let mut command = Command::new(program());
        command.args(["serve", "--stdio", "--config"]).arg(place.path("crm.toml")).args(arguments);
        let script = format!(
            "{}\n{}\n",
            r#"{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"raw","version":"1"}}}"#,
            call(1, json!({ "objectName": "note", "recordIds": [1], "confirm": true }))
        );
        let input = place.path("script.jsonl");
        std::fs::write(&input, script).unwrap();
        let output = command.stdin(std::fs::File::open(input).unwrap()).output().unwrap();
        let text = String::from_utf8(output.stdout).unwrap();
        let answers: Vec<Value> = text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
        let answer = answers.iter().find(|message| message["id"] == 1).unwrap_or_else(|| panic!("no answer: {text}"));
        assert_eq!(code(answer), "UNAUTHENTICATED", "{arguments:?}");
    }
    assert_eq!(place.gone("note"), 0);
}
