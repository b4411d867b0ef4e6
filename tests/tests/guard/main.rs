//! What the host enforces by itself (contract, section 11): a hostile guest at each row of the table, and what is
//! left of the records afterwards.

mod approval;
mod engine;
mod limits;
mod load;
mod removal;
mod tools;

use std::sync::OnceLock;
use std::time::Duration;

use deletegate::plugin::{Approval, Asked, Cancel, Limits, Plugin, Reply, Request};
use deletegate::tools::{Action, Consent, ObjectRule, Scopes, Settings, Target, ToolSet};
use engine::Engine;
use futures_executor::block_on;
use serde_json::Value;

/// Every task, with the caller's own confirmation.
const CONFIRMED: &str = r#"{"objectName":"crm_task","where":{},"confirm":true}"#;

/// The hostile guest, compiled once. Its time is short, so that a test of a spinning guest is.
fn hostile() -> &'static Plugin {
    static PLUGIN: OnceLock<Plugin> = OnceLock::new();
    PLUGIN.get_or_init(|| {
        let limits = Limits { guest_time: Duration::from_millis(300), ..Limits::default() };
        Plugin::load(&component("test/hostile.wasm"), limits).unwrap()
    })
}

/// The policy as it ships.
fn policy() -> &'static Plugin {
    static PLUGIN: OnceLock<Plugin> = OnceLock::new();
    PLUGIN.get_or_init(|| Plugin::load(&component("delete-records.wasm"), Limits::default()).unwrap())
}

fn component(file: &str) -> Vec<u8> {
    let path = format!("{}/../target/component/{file}", env!("CARGO_MANIFEST_DIR"));
    std::fs::read(&path)
        .unwrap_or_else(|error| panic!("{path}: {error}; `cargo xtask component --test-guests` builds it"))
}

/// Settings under which one trick is played.
fn settings(trick: &str, consent: Consent) -> Settings {
    Settings {
        target: Target { name: "Navigator testing".into(), environment: "dev".into(), production: false },
        tools: ToolSet::DELETE_RECORDS,
        objects: vec!["crm_task".into()],
        default_rule: ObjectRule { object: String::new(), consent, cap: 4, scope: vec![], unfiltered: true },
        rules: vec![],
        event_logs: vec![],
        system_objects: vec!["sys_*".into()],
        hand_off: Some(trick.into()),
    }
}

fn request(arguments: &str, approval: Option<Approval>) -> Request {
    Request {
        tool: "delete_records".into(),
        arguments: arguments.into(),
        scopes: Scopes::DATA_READ | Scopes::DATA_WRITE,
        approval,
        cancel: Cancel::default(),
    }
}

/// Plays one trick with the caller's own confirmation.
fn play(trick: &str) -> (Value, Engine) {
    let mut engine = Engine::new();
    let reply = block_on(hostile().call(&mut engine, &settings(trick, Consent::Attest), request(CONFIRMED, None)));
    (answer(reply), engine)
}

fn answer(reply: Reply) -> Value {
    match reply {
        Reply::Answered(answer) => {
            let json: Value = serde_json::from_str(&answer.json).unwrap();
            assert_eq!(answer.failed, json.get("error").is_some(), "{json}");
            json
        }
        other => panic!("no answer: {other:?}"),
    }
}

fn accept(asked: Asked, typed: Option<&str>) -> Option<Approval> {
    Some(Approval { action: Action::Accept, typed: typed.map(str::to_owned), asked })
}

/// The call was ended with this code, the answer says how many were deleted before, and just those are gone.
#[track_caller]
fn assert_ended((answer, engine): &(Value, Engine), code: &str, gone: &[&str]) {
    assert_eq!(answer["error"]["code"], code, "{answer}");
    assert_eq!(answer["progress"]["deleted"], gone.len(), "{answer}");
    assert_eq!(engine.gone, gone, "{answer}");
    assert_next_call_works();
}

/// The next call has an instance of its own.
#[track_caller]
fn assert_next_call_works() {
    let (answer, engine) = play("behave");
    assert_eq!(answer["deleted"], 4, "{answer}");
    assert_eq!(engine.gone, ["t1", "t2", "t3", "t4"]);
}
