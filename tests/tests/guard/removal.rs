//! Reading and removing what the call does not allow.

use deletegate::bridge::{Bridge, Failure, Identity, Selection};
use deletegate::guard::Guard;
use deletegate::native;
use deletegate::plugin::{Limits, Plugin, Request};
use deletegate::tools::{Answer, Call, Consent, Outcome, Scopes, Settings};
use futures_executor::block_on;

use crate::engine::Engine;
use crate::{CONFIRMED, answer, assert_ended, component, hostile, play, policy, request, settings};

fn play_with(trick: &str, consent: Consent, arguments: &str) -> (serde_json::Value, Engine) {
    let mut engine = Engine::new();
    let reply = block_on(hostile().call(&mut engine, &settings(trick, consent), request(arguments, None)));
    (answer(reply), engine)
}

#[test]
fn a_guest_that_behaves_removes_what_it_read() {
    crate::assert_next_call_works();
}

#[test]
fn the_policy_as_it_ships_passes_the_guard() {
    let mut engine = Engine { locked: Some("t2"), ..Engine::new() };
    let settings = Settings { hand_off: None, ..settings("", Consent::Attest) };
    let reply = block_on(policy().call(&mut engine, &settings, request(CONFIRMED, None)));
    let answer = answer(reply);
    assert_eq!((&answer["deleted"], &answer["refused"], &answer["remaining"]), (&3.into(), &1.into(), &3.into()));
    assert_eq!(engine.gone, ["t1", "t3", "t4"]);
}

#[test]
fn the_guard_wraps_the_policy_natively_too() {
    let settings = Settings { hand_off: None, ..settings("", Consent::Attest) };
    let request = request(CONFIRMED, None);
    let call = Call {
        tool: request.tool.clone(),
        arguments: request.arguments.clone(),
        scopes: request.scopes,
        approval: None,
    };
    let mut engine = Engine { locked: Some("t2"), ..Engine::new() };
    let mut guard = Guard::new(&mut engine, &settings, &request, &Limits::default());
    let outcome = native::call(&mut guard, &settings, &call);
    let native = answer(guard.conclude(outcome));
    let mut sandboxed = Engine { locked: Some("t2"), ..Engine::new() };
    let component = answer(block_on(policy().call(&mut sandboxed, &settings, request.clone())));
    assert_eq!((native, engine.calls), (component, sandboxed.calls));

    // What it does not allow never reaches the engine, and the call's end is the same.
    let mut engine = Engine::new();
    let mut guard = Guard::new(&mut engine, &settings, &request, &Limits::default());
    let read = block_on(async {
        guard.resolve_principal("crm_task").await?;
        guard.query("crm_note", &Selection::Every, None, 9).await
    });
    assert!(matches!(read, Err(Failure::Faulted(_))), "{read:?}");
    assert!(matches!(block_on(guard.resolve_principal("crm_task")), Err(Failure::Faulted(_))));
    let lie = Outcome::Answered(Answer { failed: false, json: "{\"deleted\":0}".into() });
    let ended = answer(guard.conclude(lie));
    assert_eq!(engine.calls, "p");
    assert_ended(&(ended, engine), "GUEST_VIOLATION", &[]);
}

#[test]
fn another_object_is_out_of_reach() {
    let ended = play("other-object");
    assert_eq!(ended.1.calls, "p", "the query never reached the engine");
    assert_ended(&ended, "GUEST_VIOLATION", &[]);
    assert_ended(&play("other-object-remove"), "GUEST_VIOLATION", &[]);
}

#[test]
fn a_system_object_is_out_of_reach_even_where_the_arguments_name_it() {
    let ended = play("system-object");
    assert_eq!(ended.1.calls, "");
    assert_ended(&ended, "GUEST_VIOLATION", &[]);
    for object in ["sys_user", "SYS_USER", "main.sys_user"] {
        let arguments = CONFIRMED.replace("crm_task", object);
        let ended = play_with("behave", Consent::Attest, &arguments);
        assert_eq!(ended.1.calls, "", "{object}");
        assert_ended(&ended, "GUEST_VIOLATION", &[]);
    }
}

#[test]
fn only_what_was_read_goes() {
    assert_ended(&play("remove-unqueried"), "GUEST_VIOLATION", &["t1", "t2"]);
    assert_ended(&play("remove-other-revision"), "GUEST_VIOLATION", &[]);
}

#[test]
fn nothing_goes_twice() {
    let ended = play("remove-twice");
    assert_eq!(ended.1.calls, "pqrr");
    assert_ended(&ended, "GUEST_VIOLATION", &["t1", "t2"]);
}

#[test]
fn nothing_goes_beyond_the_cap() {
    assert_ended(&play("beyond-cap"), "GUEST_VIOLATION", &["t1", "t2", "t3", "t4"]);
    assert_ended(&play("read-beyond-cap"), "GUEST_VIOLATION", &[]);
    assert_ended(&play("read-after-removing"), "GUEST_VIOLATION", &["t1", "t2"]);
}

#[test]
fn only_listed_ids_go() {
    let listed = r#"{"objectName":"crm_task","recordIds":["t1","t3"],"confirm":true}"#;
    assert_ended(&play_with("behave", Consent::Attest, listed), "GUEST_VIOLATION", &["t1"]);
}

#[test]
fn nothing_goes_without_confirmation() {
    for (consent, arguments) in [
        (Consent::Attest, r#"{"objectName":"crm_task","where":{}}"#),
        (Consent::Attest, r#"{"objectName":"crm_task","where":{},"confirm":false}"#),
        (Consent::None, r#"{"objectName":"crm_task","where":{},"confirm":false}"#),
        (Consent::Attest, r#"{"objectName":"crm_task","where":{},"confirm":true,"dryRun":true}"#),
        (Consent::Accept, CONFIRMED),
        (Consent::Typed, CONFIRMED),
    ] {
        let ended = play_with("behave", consent, arguments);
        assert_eq!(ended.1.calls, "pq", "{arguments}");
        assert_ended(&ended, "GUEST_VIOLATION", &[]);
    }
    let (answer, _) = play_with("behave", Consent::None, r#"{"objectName":"crm_task","where":{}}"#);
    assert_eq!(answer["deleted"], 4, "under `none` the call suffices");
}

#[test]
fn arguments_that_cannot_be_acted_on_open_no_door() {
    for arguments in [
        "",
        "[]",
        r#"{"objectName":"crm_task","where":{},"where":{},"confirm":true}"#,
        r#"{"objectName":"crm_task","where":{},"recordIds":["t1"],"confirm":true}"#,
        r#"{"objectName":"crm_task","confirm":true}"#,
        r#"{"objectName":"crm_task","where":"{}","confirm":true}"#,
        r#"{"objectName":"crm_task","where":{},"confirm":"true"}"#,
        r#"{"objectName":["crm_task"],"where":{},"confirm":true}"#,
    ] {
        let ended = play_with("behave", Consent::Attest, arguments);
        assert_eq!(ended.1.calls, "", "{arguments}");
        assert_ended(&ended, "GUEST_VIOLATION", &[]);
    }
}

#[test]
fn a_caller_who_is_nobody_or_has_not_both_scopes_reads_nothing() {
    let mut engine = Engine { identity: Identity::Anonymous, ..Engine::new() };
    let reply = block_on(hostile().call(&mut engine, &settings("behave", Consent::Attest), request(CONFIRMED, None)));
    assert_eq!(engine.calls, "p");
    assert_ended(&(answer(reply), engine), "GUEST_VIOLATION", &[]);

    let mut engine = Engine::new();
    let request = Request { scopes: Scopes::DATA_READ, ..request(CONFIRMED, None) };
    let reply = block_on(hostile().call(&mut engine, &settings("behave", Consent::Attest), request));
    assert_eq!(engine.calls, "");
    assert_ended(&(answer(reply), engine), "GUEST_VIOLATION", &[]);

    assert_ended(&play("no-principal"), "GUEST_VIOLATION", &[]);
}

#[test]
fn an_answer_that_tells_other_counts_is_not_given() {
    assert_ended(&play("lie"), "GUEST_VIOLATION", &[]);
    assert_ended(&play("unknown-after-removing"), "GUEST_VIOLATION", &["t1", "t2"]);
    assert_ended(&play("understate"), "GUEST_VIOLATION", &["t1", "t2", "t3", "t4"]);
    assert_ended(&play("no-answer"), "GUEST_FAILED", &[]);
}

#[test]
fn a_policy_with_broken_rules_is_stopped() {
    let settings = Settings { hand_off: None, ..settings("", Consent::Attest) };
    for broken in ["test/break-preview.wasm", "test/break-consent.wasm"] {
        let plugin = Plugin::load(&component(broken), Limits::default()).unwrap();
        let mut engine = Engine::new();
        let preview = r#"{"objectName":"crm_task","where":{}}"#;
        let reply = block_on(plugin.call(&mut engine, &settings, request(preview, None)));
        assert_ended(&(answer(reply), engine), "GUEST_VIOLATION", &[]);
    }
}

#[test]
fn the_progress_tells_what_became_of_each_record() {
    let mut engine = Engine { locked: Some("t2"), ..Engine::new() };
    let reply =
        block_on(hostile().call(&mut engine, &settings("beyond-cap", Consent::Attest), request(CONFIRMED, None)));
    let answer = answer(reply);
    assert_eq!(
        answer["progress"],
        serde_json::json!({
            "object": "crm_task", "attempted": 4, "deleted": 3, "refused": 1,
            "refusals": [{ "code": "RECORD_LOCKED", "status": 409, "reason": "The period is closed.",
                           "retryable": false, "count": 1, "recordIds": ["t2"] }],
            "notRemoved": [], "notFound": [], "warnings": [], "cap": 4,
            "target": { "name": "Navigator testing", "environment": "dev", "production": false },
            "notAttempted": 0,
        })
    );
}
