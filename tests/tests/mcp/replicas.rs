//! A question that travels with the client: from 2026-07-28, at one server and at several.

use deletegate::bridge::postgres::cluster::{Cluster, SUPERUSER};
use serde_json::{Value, json};

use super::place::{Http, Place};
use super::raw::{call, post};

const ARGUMENTS: &str = r#"{"objectName":"task","recordIds":[5,6],"confirm":true}"#;

fn forms() -> Value {
    json!({ "form": {} })
}

/// The question's seal.
fn ask(server: &Http, token: &str, arguments: &str) -> String {
    let result =
        post(server, token, "delete_records", call(arguments, "", forms()).as_bytes()).message()["result"].clone();
    assert_eq!(result["resultType"], "input_required", "{result}");
    assert_eq!(result["inputRequests"]["approval"]["method"], "elicitation/create", "{result}");
    result["requestState"].as_str().unwrap().to_owned()
}

/// The result of a call with an answer under `key`, and a seal.
fn answer(server: &Http, token: &str, arguments: &str, key: &str, action: &Value, seal: Option<&str>) -> Value {
    let seal = seal.map(|seal| format!(r#","requestState":{}"#, json!(seal))).unwrap_or_default();
    let more = format!(r#","inputResponses":{}{seal}"#, json!({ key: action }));
    post(server, token, "delete_records", call(arguments, &more, forms()).as_bytes()).message()["result"].clone()
}

fn accept() -> Value {
    json!({ "action": "accept", "content": { "confirmation": "task 2" } })
}

fn deleted(result: &Value) -> Option<u64> {
    result["structuredContent"]["deleted"].as_u64()
}

fn asks_anew(result: &Value) -> bool {
    result["resultType"] == "input_required"
}

#[test]
fn an_answer_counts_for_the_question_it_was_given_to() {
    let place = Place::new();
    let server = place.http();
    let (ana, bo) = (place.token("ana", "data:read data:write"), place.token("bo", "data:read data:write"));
    let seal = ask(&server, &ana, ARGUMENTS);

    // Unasked: under a name we never asked under, without a seal, with a seal that is none.
    for (key, seal) in [
        ("other", Some(seal.as_str())),
        ("approval", None),
        ("approval", Some("")),
        ("approval", Some("rs1.AAAA.BBBB")),
    ] {
        assert!(asks_anew(&answer(&server, &ana, ARGUMENTS, key, &accept(), seal)), "{key} {seal:?}");
    }
    // Forged: each byte counts.
    for at in [4, 30, seal.len() / 2, seal.len() - 2] {
        let mut bytes = seal.clone().into_bytes();
        bytes[at] = if bytes[at] == b'A' { b'B' } else { b'A' };
        let forged = String::from_utf8(bytes).unwrap();
        assert!(asks_anew(&answer(&server, &ana, ARGUMENTS, "approval", &accept(), Some(&forged))), "byte {at}");
    }
    // Another caller's, and for other arguments.
    assert!(asks_anew(&answer(&server, &bo, ARGUMENTS, "approval", &accept(), Some(&seal))));
    for other in [
        r#"{"objectName":"task","recordIds":[7,8],"confirm":true}"#,
        r#"{"objectName":"task","recordIds":[5,6,7],"confirm":true}"#,
        r#"{"objectName":"account","recordIds":[5,6],"confirm":true}"#,
    ] {
        assert!(asks_anew(&answer(&server, &ana, other, "approval", &accept(), Some(&seal))), "{other}");
    }
    assert_eq!(place.gone("task") + place.gone("account"), 0);

    // The arguments written anew are the same arguments.
    let anew = r#"{ "confirm": true, "recordIds": [5, 6], "objectN\u0061me": "task" }"#;
    assert_eq!(deleted(&answer(&server, &ana, anew, "approval", &accept(), Some(&seal))), Some(2));
    assert_eq!(place.gone("task"), 2);
    // Once.
    let replayed = answer(&server, &ana, ARGUMENTS, "approval", &accept(), Some(&seal));
    assert_eq!(replayed["structuredContent"]["notFound"], json!(["5", "6"]), "{replayed}");
}

#[test]
fn a_refusal_is_an_answer_too_and_spends_the_question() {
    let place = Place::new();
    let server = place.http();
    let ana = place.token("ana", "data:read data:write");
    for (action, code) in [
        (json!({ "action": "decline" }), "APPROVAL_DECLINED"),
        (json!({ "action": "cancel" }), "APPROVAL_DECLINED"),
        (json!({ "action": "ACCEPT", "content": { "confirmation": "task 2" } }), "APPROVAL_DECLINED"),
        (json!("accept"), "APPROVAL_DECLINED"),
        (json!({ "action": "accept" }), "APPROVAL_MISMATCH"),
        (json!({ "action": "accept", "content": { "confirmation": "task 3" } }), "APPROVAL_MISMATCH"),
    ] {
        let seal = ask(&server, &ana, ARGUMENTS);
        let result = answer(&server, &ana, ARGUMENTS, "approval", &action, Some(&seal));
        let text: Value = serde_json::from_str(result["content"][0]["text"].as_str().unwrap()).unwrap();
        assert_eq!(text["error"]["code"], code, "{action}");
        // A yes that follows a no is asked for anew.
        assert!(asks_anew(&answer(&server, &ana, ARGUMENTS, "approval", &accept(), Some(&seal))));
    }
    assert_eq!(place.gone("task"), 0);
}

#[test]
fn what_has_changed_since_the_question_is_not_what_was_approved() {
    let place = Place::new();
    let server = place.http();
    let ana = place.token("ana", "data:read data:write");
    let filter = r#"{"objectName":"task","where":{"owner":"ana","id":{"$lte":6,"$gte":5}},"confirm":true}"#;
    let seal = ask(&server, &ana, filter);
    let database = rusqlite::Connection::open(place.path("crm.db")).unwrap();
    database.execute("UPDATE task SET title = 'Another' WHERE id = 6", []).unwrap();
    let result = answer(&server, &ana, filter, "approval", &accept(), Some(&seal));
    assert!(result["content"][0]["text"].as_str().unwrap().contains("SELECTION_CHANGED"), "{result}");
    assert_eq!(place.gone("task"), 0);
}

/// Two servers with one key and one store of spent questions.
fn replicas(place: &Place) -> [Http; 2] {
    std::fs::write(place.path("sealing.key"), "0123456789abcdef0123456789abcdef\n").unwrap();
    [place.http(), place.http()]
}

#[test]
fn a_question_of_one_replica_is_answered_at_the_other_once() {
    let place = Place::with("sealing-key = \"sealing.key\"\nspent-questions = \"sqlite:spent.db\"");
    let [one, other] = replicas(&place);
    let ana = place.token("ana", "data:read data:write");
    let seal = ask(&one, &ana, ARGUMENTS);
    let mismatch = json!({ "action": "accept", "content": { "confirmation": "task 1" } });
    let result = answer(&other, &ana, ARGUMENTS, "approval", &mismatch, Some(&seal));
    assert!(result["content"][0]["text"].as_str().unwrap().contains("APPROVAL_MISMATCH"), "{result}");
    for replica in [&one, &other] {
        assert!(asks_anew(&answer(replica, &ana, ARGUMENTS, "approval", &accept(), Some(&seal))));
    }
    let seal = ask(&other, &ana, ARGUMENTS);
    assert_eq!(deleted(&answer(&one, &ana, ARGUMENTS, "approval", &accept(), Some(&seal))), Some(2));
    assert_eq!(place.gone("task"), 2);
}

#[test]
fn answered_at_both_replicas_at_the_same_moment_it_counts_once() {
    counts_once(&Place::with("sealing-key = \"sealing.key\"\nspent-questions = \"sqlite:spent.db\""));
}

/// Replicas on several machines share a table of PostgreSQL's; both make it when they start.
#[test]
fn a_table_of_postgresql_is_such_a_store_too() {
    let cluster = Cluster::start("-c fsync=off").unwrap();
    let store = cluster.address(SUPERUSER, "postgres");
    counts_once(&Place::with(&format!("sealing-key = \"sealing.key\"\nspent-questions = \"{store}\"")));
}

fn counts_once(place: &Place) {
    let replicas = replicas(place);
    let ana = place.token("ana", "data:read data:write");
    for round in 0..20 {
        // A wrong word, so that the records are there for the next round: what is counted is the answers.
        let wrong = json!({ "action": "accept", "content": { "confirmation": "wrong" } });
        let seal = ask(&replicas[round % 2], &ana, ARGUMENTS);
        let results = std::thread::scope(|scope| {
            let calls = replicas
                .each_ref()
                .map(|replica| scope.spawn(|| answer(replica, &ana, ARGUMENTS, "approval", &wrong, Some(&seal))));
            calls.map(|call| call.join().unwrap())
        });
        let anew = results.iter().filter(|result| asks_anew(result)).count();
        let counted = results.iter().filter(|result| result.to_string().contains("APPROVAL_MISMATCH")).count();
        assert_eq!((counted, anew), (1, 1), "round {round}: {results:?}");
    }
    assert_eq!(place.gone("task"), 0);
    let seal = ask(&replicas[0], &ana, ARGUMENTS);
    assert_eq!(deleted(&answer(&replicas[1], &ana, ARGUMENTS, "approval", &accept(), Some(&seal))), Some(2));
}

#[test]
fn without_a_shared_key_no_other_server_opens_a_question() {
    let place = Place::new();
    let (one, other) = (place.http(), place.http());
    let ana = place.token("ana", "data:read data:write");
    let seal = ask(&one, &ana, ARGUMENTS);
    assert!(asks_anew(&answer(&other, &ana, ARGUMENTS, "approval", &accept(), Some(&seal))));
    assert_eq!(deleted(&answer(&one, &ana, ARGUMENTS, "approval", &accept(), Some(&seal))), Some(2));
}

#[test]
fn without_its_store_no_answer_counts() {
    let place = Place::with("sealing-key = \"sealing.key\"\nspent-questions = \"sqlite:spent.db\"");
    let [one, _] = replicas(&place);
    let ana = place.token("ana", "data:read data:write");
    let seal = ask(&one, &ana, ARGUMENTS);
    let store = rusqlite::Connection::open(place.path("spent.db")).unwrap();
    store.execute_batch("DROP TABLE sys_deletegate_spent_questions").unwrap();
    let result = answer(&one, &ana, ARGUMENTS, "approval", &accept(), Some(&seal));
    assert!(result["content"][0]["text"].as_str().unwrap().contains("APPROVAL_STORE_UNAVAILABLE"), "{result}");
    assert_eq!(place.gone("task"), 0);
}
