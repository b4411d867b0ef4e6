//! The tools for one record, for events and for the list: each allows less than `delete_records`, and a hostile guest
//! gets no more.

use deletegate::bridge::Verbs;
use deletegate::plugin::{Approval, Reply, Request};
use deletegate::tools::{Consent, EventLog, Settings, ToolSet};
use futures_executor::block_on;
use serde_json::Value;

use crate::engine::Engine;
use crate::{accept, answer, assert_ended, hostile, request, settings};

const ONE: &str = r#"{"objectName":"crm_task","recordId":"t3","confirm":true}"#;
const SCOPE: &str = r#"{"collection":"orders","confirm":true}"#;
const LIST: &str = "{}";

fn with_tools(trick: &str, consent: Consent) -> Settings {
    let log = EventLog {
        name: "events".into(),
        object: "crm_task".into(),
        scope: "stream".into(),
        time: "at".into(),
        kind: None,
        subject: None,
        tags: None,
    };
    Settings { tools: ToolSet::all(), event_logs: vec![log], ..settings(trick, consent) }
}

fn call_on(
    mut engine: Engine,
    settings: &Settings,
    tool: &str,
    arguments: &str,
    approval: Option<Approval>,
) -> (Reply, Engine) {
    let request = Request { tool: tool.into(), ..request(arguments, approval) };
    let reply = block_on(hostile().call(&mut engine, settings, request));
    (reply, engine)
}

fn play(tool: &str, trick: &str, arguments: &str) -> (Value, Engine) {
    let settings = with_tools(trick, Consent::Attest);
    let (reply, engine) = call_on(Engine::new(), &settings, tool, arguments, None);
    (answer(reply), engine)
}

#[track_caller]
fn assert_stopped(tool: &str, trick: &str, arguments: &str) -> Engine {
    let ended = play(tool, trick, arguments);
    assert_ended(&ended, "GUEST_VIOLATION", &[]);
    ended.1
}

#[track_caller]
fn assert_gone(tool: &str, trick: &str, arguments: &str, gone: &[&str]) {
    let (answer, engine) = play(tool, trick, arguments);
    assert_eq!(engine.gone, gone, "{answer}");
    assert_eq!(answer["deleted"], gone.len(), "{answer}");
}

#[test]
fn one_record_is_the_one_that_the_key_names() {
    assert_gone("delete_record", "one", ONE, &["t3"]);
    assert_gone("delete_record", "one", r#"{"objectName":"crm_task","keys":{"id":"t3"},"confirm":true}"#, &["t3"]);
    // It reads the first record of all, and may not remove it.
    assert_eq!(assert_stopped("delete_record", "behave", ONE).calls, "pq");
    assert_stopped("delete_record", "remove-unqueried", ONE);
    assert_stopped("delete_record", "other-object", ONE);
    assert_stopped("delete_record", "other-object-remove", ONE);
}

#[test]
fn one_record_means_one() {
    assert_stopped("delete_record", "read-beyond-cap", ONE);
    let (answer, engine) = play("delete_record", "one-more", ONE);
    assert_eq!((&answer["deleted"], engine.gone.len()), (&1.into(), 1), "no more than one is read, so no more goes");
}

#[test]
fn one_record_goes_with_consent_alone() {
    for arguments in
        [r#"{"objectName":"crm_task","recordId":"t3"}"#, r#"{"objectName":"crm_task","recordId":"t3","confirm":false}"#]
    {
        assert_eq!(assert_stopped("delete_record", "one", arguments).calls, "pq");
    }
    for arguments in [
        r#"{"objectName":"crm_task","recordId":"t3","keys":{"id":"t3"},"confirm":true}"#,
        r#"{"objectName":"crm_task","where":{},"confirm":true}"#,
        r#"{"objectName":"crm_task","confirm":true}"#,
        r#"{"objectName":"sys_user","recordId":"t3","confirm":true}"#,
    ] {
        assert_eq!(assert_stopped("delete_record", "one", arguments).calls, "");
    }
}

#[test]
fn a_record_that_did_not_go_is_not_told_as_gone() {
    assert_stopped("delete_record", "one-okay", ONE);
}

#[test]
fn who_may_not_list_reads_the_one_record() {
    let on = |tool: &str, trick: &str, arguments: &str| {
        let engine = Engine { verbs: Verbs::REMOVE, ..Engine::new() };
        let (reply, engine) = call_on(engine, &with_tools(trick, Consent::Attest), tool, arguments, None);
        (answer(reply), engine)
    };
    let (answer, engine) = on("delete_record", "one", ONE);
    assert_eq!((&answer["deleted"], engine.calls.as_str()), (&1.into(), "pqr"));
    for (tool, trick, arguments) in [
        ("delete_record", "behave", ONE),
        ("delete_record", "one-more", ONE),
        ("delete_records", "behave", crate::CONFIRMED),
        ("delete_records", "one", r#"{"objectName":"crm_task","recordIds":["t3"],"confirm":true}"#),
        ("delete_events", "scope", SCOPE),
    ] {
        let ended = on(tool, trick, arguments);
        assert_eq!(ended.1.calls, "p", "{tool} {trick}: nothing was read");
        assert_ended(&ended, "GUEST_VIOLATION", &[]);
    }
}

#[test]
fn events_are_those_of_the_scope() {
    let first_four = ["t1", "t2", "t3", "t4"];
    assert_gone("delete_events", "scope", SCOPE, &first_four);
    assert_gone("delete_events", "scope-and-more", SCOPE, &first_four);
    for trick in [
        "behave",
        "one",
        "scope-other",
        "scope-either",
        "scope-unless",
        "scope-within",
        "scope-broken",
        "scope-counted",
        "other-object",
        "remove-unqueried",
    ] {
        assert_eq!(assert_stopped("delete_events", trick, SCOPE).calls, "p", "{trick}: nothing was read");
    }
    let other = r#"{"collection":"audit","confirm":true}"#;
    assert_stopped("delete_events", "scope", other);
}

#[test]
fn a_dry_run_removes_nothing() {
    for arguments in [
        r#"{"collection":"orders","dryRun":true}"#,
        r#"{"collection":"orders","dryRun":true,"confirm":true}"#,
        r#"{"collection":"orders","dryRun":"yes","confirm":true}"#,
        r#"{"collection":"orders"}"#,
    ] {
        assert_eq!(assert_stopped("delete_events", "scope", arguments).calls, "pq", "{arguments}");
    }
    let settings = with_tools("scope", Consent::None);
    let dry = r#"{"collection":"orders","dryRun":true}"#;
    let (reply, engine) = call_on(Engine::new(), &settings, "delete_events", dry, None);
    assert_ended(&(answer(reply), engine), "GUEST_VIOLATION", &[]);
}

#[test]
fn events_by_ids_are_those_that_are_listed() {
    assert_gone("delete_events", "one", r#"{"ids":["t3"],"confirm":true}"#, &["t3"]);
    assert_stopped("delete_events", "behave", r#"{"ids":["t3"],"confirm":true}"#);
    for arguments in [
        r#"{"ids":["t3"],"collection":"orders","confirm":true}"#,
        r#"{"ids":["t3"],"until":"2026-01-01T00:00:00Z","confirm":true}"#,
        r#"{"log":"other","collection":"orders","confirm":true}"#,
        r#"{"confirm":true}"#,
        r#"{"kind":"x","confirm":true}"#,
    ] {
        assert_eq!(assert_stopped("delete_events", "scope", arguments).calls, "", "{arguments}");
    }
}

#[test]
fn the_list_reads_and_removes_nothing() {
    for trick in ["behave", "one", "scope", "other-object", "other-object-remove", "scope-counted"] {
        assert_eq!(assert_stopped("list_objects", trick, LIST).calls, "p", "{trick}");
    }
    let confirmed = r#"{"objectName":"crm_task","confirm":true}"#;
    assert_eq!(assert_stopped("list_objects", "behave", confirmed).calls, "p");
    for consent in [Consent::None, Consent::Accept, Consent::Typed] {
        for trick in ["behave", "ask-truly"] {
            let (reply, engine) = call_on(Engine::new(), &with_tools(trick, consent), "list_objects", confirmed, None);
            assert_ended(&(answer(reply), engine), "GUEST_VIOLATION", &[]);
        }
    }
}

#[test]
fn the_list_asks_about_what_is_offered() {
    assert_eq!(assert_stopped("list_objects", "list-other", LIST).calls, "", "crm_note is not offered");
    assert_eq!(assert_stopped("list_objects", "system-object", LIST).calls, "");
    let offered = |trick: &str, arguments: &str| {
        let mut settings = with_tools(trick, Consent::Attest);
        settings.objects.extend(["crm_note".to_owned(), "sys_user".to_owned()]);
        let (reply, engine) = call_on(Engine::new(), &settings, "list_objects", arguments, None);
        (answer(reply), engine)
    };
    assert_eq!(offered("list-other", LIST).1.calls, "p");
    let named = offered("list-other", r#"{"objectName":"crm_task"}"#);
    assert_ended(&named, "GUEST_VIOLATION", &[]);
    let system = offered("system-object", LIST);
    assert_eq!(system.1.calls, "");
    assert_ended(&system, "GUEST_VIOLATION", &[]);
    assert_ended(&play("list_objects", "list-for-ever", LIST), "GUEST_LIMIT", &[]);
}

#[test]
fn a_tool_that_is_off_opens_no_door() {
    for (tool, arguments, set) in [
        ("delete_record", ONE, ToolSet::DELETE_RECORD),
        ("delete_events", SCOPE, ToolSet::DELETE_EVENTS),
        ("list_objects", LIST, ToolSet::LIST_OBJECTS),
    ] {
        let settings = Settings { tools: ToolSet::all() & !set, ..with_tools("behave", Consent::Attest) };
        let (reply, engine) = call_on(Engine::new(), &settings, tool, arguments, None);
        assert_eq!(engine.calls, "", "{tool}");
        assert_ended(&(answer(reply), engine), "GUEST_VIOLATION", &[]);
    }
}

#[test]
fn a_person_types_what_the_call_is_about() {
    let ask = |tool: &str, trick: &str, arguments: &str, approval| {
        call_on(Engine::new(), &with_tools(trick, Consent::Typed), tool, arguments, approval)
    };
    for (tool, trick, arguments, expected, gone) in
        [("delete_record", "ask-one", ONE, "t3", 1), ("delete_events", "ask-scope", SCOPE, "orders 2", 2)]
    {
        let (Reply::Asks { asked, .. }, _) = ask(tool, trick, arguments, None) else { panic!("{tool} asks nobody") };
        assert_eq!(asked.expected(), Some(expected));
        for typed in ["crm_task 1", "crm_task 2", "yes", "t1", ""] {
            let (reply, engine) = ask(tool, trick, arguments, accept(asked.clone(), Some(typed)));
            assert_ended(&(answer(reply), engine), "GUEST_VIOLATION", &[]);
        }
        let (reply, engine) = ask(tool, trick, arguments, accept(asked, Some(expected)));
        assert_eq!((answer(reply)["deleted"].as_u64(), engine.gone.len()), (Some(gone as u64), gone));
    }
    for (tool, trick, arguments) in [
        ("delete_record", "ask-one-by-count", ONE),
        ("delete_record", "ask-one-other", ONE),
        ("delete_events", "ask-scope-by-object", SCOPE),
        ("delete_events", "ask-scope-other", SCOPE),
        ("delete_records", "ask-scope", crate::CONFIRMED),
    ] {
        let (reply, engine) = ask(tool, trick, arguments, None);
        assert_ended(&(answer(reply), engine), "GUEST_VIOLATION", &[]);
    }
}
