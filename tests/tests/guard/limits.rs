//! Taking more than a call is given, and failing.

use std::time::{Duration, Instant};

use deletegate::plugin::{CallError, Cancel, Limit, Limits, Plugin, Request};
use deletegate::tools::{Consent, Scopes, Settings};
use futures_executor::block_on;

use crate::engine::Engine;
use crate::{
    CONFIRMED, answer, assert_ended, assert_next_call_works, component, hostile, play, policy, request, settings,
};

#[test]
fn a_guest_that_never_ends_costs_its_own_call() {
    let started = Instant::now();
    let ended = play("loop");
    assert!(started.elapsed() < Duration::from_secs(10));
    assert_eq!(ended.0["error"]["details"]["limit"], "time");
    assert_ended(&ended, "GUEST_LIMIT", &[]);
    assert_ended(&play("loop-after-two"), "GUEST_LIMIT", &["t1", "t2"]);
}

#[test]
fn a_guest_that_allocates_without_end_costs_its_own_call() {
    let ended = play("allocate");
    assert_eq!(ended.0["error"]["details"]["limit"], "memory");
    assert_ended(&ended, "GUEST_LIMIT", &[]);
    assert_ended(&play("allocate-after-two"), "GUEST_LIMIT", &["t1", "t2"]);
}

#[test]
fn a_guest_that_traps_costs_its_own_call() {
    assert_ended(&play("trap"), "GUEST_FAILED", &[]);
    let ended = play("trap-after-two");
    assert!(ended.0["error"]["message"].as_str().unwrap().contains("2 records were deleted before"), "{}", ended.0);
    assert_ended(&ended, "GUEST_FAILED", &["t1", "t2"]);
    assert_ended(&play("recurse"), "GUEST_FAILED", &[]);
}

#[test]
fn the_bridge_is_not_there_to_be_flooded() {
    let ended = play("many-queries");
    assert_eq!(ended.0["error"]["details"]["limit"], "bridge calls");
    assert_eq!(ended.1.calls.len(), Limits::default().bridge_calls(4) as usize);
    assert_ended(&ended, "GUEST_LIMIT", &[]);
    // With the time that a call has by default: on a busy machine copying so much takes longer than a spinning guest gets.
    let patient = Plugin::load(&component("test/hostile.wasm"), Limits::default()).unwrap();
    for trick in ["big-strings", "many-big-strings", "big-answer"] {
        let mut engine = Engine::new();
        let reply = block_on(patient.call(&mut engine, &settings(trick, Consent::Attest), request(CONFIRMED, None)));
        let ended = (answer(reply), engine);
        assert_eq!(ended.0["error"]["details"]["limit"], "bytes", "{trick}");
        assert_ended(&ended, "GUEST_LIMIT", &[]);
    }
}

#[test]
fn ten_megabytes_of_arguments_do_not_reach_the_guest() {
    let arguments = format!(r#"{{"objectName":"crm_task","where":{{}},"x":"{}"}}"#, "x".repeat(10 << 20));
    let mut engine = Engine::new();
    // This guest would never answer.
    let reply = block_on(hostile().call(&mut engine, &settings("loop", Consent::Attest), request(&arguments, None)));
    let by_host = answer(reply);
    assert_eq!(by_host["error"]["code"], "VALIDATION_FAILED");
    assert_eq!(engine.calls, "");
    // The guest has the same limit, and says the same.
    let limits = Limits { argument_bytes: usize::MAX, handed_bytes: 32 << 20, ..Limits::default() };
    let unlimited = Plugin::load(&component("delete-records.wasm"), limits).unwrap();
    let settings = Settings { hand_off: None, ..settings("", Consent::Attest) };
    let by_guest = answer(block_on(unlimited.call(&mut engine, &settings, request(&arguments, None))));
    assert_eq!(by_host, by_guest);
    assert_next_call_works();
}

#[test]
fn a_cancelled_call_stops_at_the_next_record() {
    let cancel = Cancel::default();
    let from_outside = cancel.clone();
    let meanwhile = move |gone| {
        if gone == 1 {
            from_outside.cancel();
        }
    };
    let mut engine = Engine { meanwhile: Box::new(meanwhile), ..Engine::new() };
    let request = Request { cancel, ..request(CONFIRMED, None) };
    let settings = Settings { hand_off: None, ..settings("", Consent::Attest) };
    let answer = answer(block_on(policy().call(&mut engine, &settings, request)));
    assert_eq!(
        (&answer["error"]["code"], &answer["progress"]["deleted"]),
        (&"CANCELLED".into(), &2.into()),
        "{answer}"
    );
    assert_eq!(engine.gone, ["t1", "t2"]);
}

#[test]
fn a_call_whose_time_is_over_stops_at_the_next_record() {
    let limits = Limits { call_time: Duration::from_millis(400), ..Limits::default() };
    let plugin = Plugin::load(&component("delete-records.wasm"), limits).unwrap();
    let slow = |gone| {
        if gone == 1 {
            std::thread::sleep(Duration::from_millis(500));
        }
    };
    let mut engine = Engine { meanwhile: Box::new(slow), ..Engine::new() };
    let settings = Settings { hand_off: None, ..settings("", Consent::Attest) };
    let answer = answer(block_on(plugin.call(&mut engine, &settings, request(CONFIRMED, None))));
    let code = &answer["error"]["code"];
    assert_eq!((code, &answer["progress"]["deleted"]), (&"DEADLINE_EXCEEDED".into(), &2.into()), "{answer}");
    assert_eq!(engine.gone, ["t1", "t2"]);
}

#[test]
fn time_in_the_bridge_is_not_the_guest_s() {
    // Longer than all the time that the hostile guest has for itself.
    let slow = |_| std::thread::sleep(Duration::from_millis(120));
    let mut engine = Engine { meanwhile: Box::new(slow), ..Engine::new() };
    let settings = settings("behave", Consent::Attest);
    let answer = answer(block_on(hostile().call(&mut engine, &settings, request(CONFIRMED, None))));
    assert_eq!(answer["deleted"], 4, "{answer}");
}

#[test]
fn settings_and_tools_are_asked_under_the_same_limits() {
    let check = |trick| block_on(hostile().check_settings(&settings(trick, Consent::Attest)));
    assert_eq!(check("behave"), Ok(vec![]));
    assert_eq!(check("trap"), Err(CallError::Failed));
    assert_eq!(check("loop"), Err(CallError::Limit(Limit::Time)));
    assert!(matches!(check("bridge-in-check-settings"), Err(CallError::Violation(_))));
    let both = Scopes::DATA_READ | Scopes::DATA_WRITE;
    let looping = block_on(hostile().list_tools(&settings("loop", Consent::Attest), both));
    assert!(matches!(looping, Err(CallError::Limit(Limit::Time))));
    let settings = Settings { hand_off: None, ..settings("", Consent::Attest) };
    assert_eq!(block_on(policy().list_tools(&settings, both)).unwrap()[0].name, "delete_records");
    assert!(block_on(policy().list_tools(&settings, Scopes::DATA_READ)).unwrap().is_empty());
    assert_eq!(block_on(policy().check_settings(&settings)), Ok(vec![]));
}

/// A guest that fails at once, and then twenty callers at the same time, on threads of an async runtime.
#[test]
fn twenty_calls_at_once_after_a_trap() {
    assert_ended(&play("trap-after-two"), "GUEST_FAILED", &["t1", "t2"]);
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(4).build().unwrap();
    let answers = runtime.block_on(async {
        let calls: Vec<_> = (0..20)
            .map(|n| {
                tokio::spawn(async move {
                    let mut engine = Engine::new();
                    // Every fifth spins: the others go on.
                    let trick = if n % 5 == 0 { "loop-after-two" } else { "behave" };
                    let settings = settings(trick, Consent::Attest);
                    let reply = hostile().call(&mut engine, &settings, request(CONFIRMED, None)).await;
                    (answer(reply), engine.gone.len())
                })
            })
            .collect();
        let mut answers = Vec::new();
        for call in calls {
            answers.push(call.await.unwrap());
        }
        answers
    });
    for (n, (answer, gone)) in answers.into_iter().enumerate() {
        if n % 5 == 0 {
            assert_eq!((&answer["error"]["code"], gone), (&"GUEST_LIMIT".into(), 2), "{answer}");
        } else {
            assert_eq!((&answer["deleted"], gone), (&4.into(), 4), "{answer}");
        }
    }
}
