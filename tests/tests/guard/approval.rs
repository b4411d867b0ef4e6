//! The question to a person, and what they answer to it.

use deletegate::bridge::{Actor, Identity};
use deletegate::plugin::{Approval, Asked, Reply};
use deletegate::tools::{Action, Consent, Question, Settings};
use futures_executor::block_on;
use serde_json::Value;

use crate::engine::Engine;
use crate::{CONFIRMED, accept, answer, assert_ended, hostile, policy, request, settings};

fn call(trick: &str, consent: Consent, arguments: &str, approval: Option<Approval>) -> (Reply, Engine) {
    let mut engine = Engine::new();
    let reply = block_on(hostile().call(&mut engine, &settings(trick, consent), request(arguments, approval)));
    (reply, engine)
}

#[track_caller]
fn asked(reply: Reply) -> (Question, Asked) {
    match reply {
        Reply::Asks { question, asked } => (question, asked),
        other => panic!("no question: {other:?}"),
    }
}

fn ended((reply, engine): (Reply, Engine)) -> (Value, Engine) {
    (answer(reply), engine)
}

#[test]
fn a_person_is_asked_only_what_is_true() {
    let (question, of) = asked(call("ask-truly", Consent::Accept, CONFIRMED, None).0);
    assert!(question.message.starts_with("Delete 2 records"));
    assert_eq!((of.count(), of.expected()), (2, None));
    for trick in [
        "ask-wrong-count",
        "ask-other-names",
        "ask-control-characters",
        "ask-two-lines",
        "ask-persuasively",
        "ask-as-production",
        "ask-typed",
        "ask-unread",
    ] {
        assert_ended(&ended(call(trick, Consent::Accept, CONFIRMED, None)), "GUEST_VIOLATION", &[]);
    }
    asked(call("ask-typed", Consent::Typed, CONFIRMED, None).0);
    for trick in ["ask-typed-other", "ask-truly"] {
        assert_ended(&ended(call(trick, Consent::Typed, CONFIRMED, None)), "GUEST_VIOLATION", &[]);
    }
}

#[test]
fn nobody_is_asked_where_nobody_has_to_be() {
    let unconfirmed = r#"{"objectName":"crm_task","where":{}}"#;
    assert_ended(&ended(call("ask-truly", Consent::Attest, CONFIRMED, None)), "GUEST_VIOLATION", &[]);
    assert_ended(&ended(call("ask-truly", Consent::Accept, unconfirmed, None)), "GUEST_VIOLATION", &[]);
}

#[test]
fn an_approval_lets_go_what_was_asked_and_nothing_else() {
    let (_, of) = asked(call("ask-truly", Consent::Accept, CONFIRMED, None).0);
    let (reply, engine) = call("ask-truly", Consent::Accept, CONFIRMED, accept(of.clone(), None));
    assert_eq!(answer(reply)["deleted"], 2);
    assert_eq!(engine.gone, ["t1", "t2"]);

    let more = call("ask-and-take-more", Consent::Accept, CONFIRMED, accept(of.clone(), None));
    assert_ended(&ended(more), "GUEST_VIOLATION", &[]);

    // Written anew they are the same arguments; what says something else is not what was asked about.
    let anew = CONFIRMED.replace(' ', "").replace("objectName", "object\\u004eame");
    let (reply, _) = call("ask-truly", Consent::Accept, &anew, accept(of.clone(), None));
    assert_eq!(answer(reply)["deleted"], 2);
    let other_arguments = CONFIRMED.replace("\"confirm\"", "\"after\": \"t0\", \"confirm\"");
    assert_ne!(other_arguments, CONFIRMED);
    let other = call("ask-truly", Consent::Accept, &other_arguments, accept(of.clone(), None));
    assert_ended(&ended(other), "GUEST_VIOLATION", &[]);

    for action in [Action::Decline, Action::Cancel, Action::Unavailable, Action::Failed] {
        let approval = Some(Approval { action, typed: None, asked: of.clone() });
        assert_ended(&ended(call("ask-truly", Consent::Accept, CONFIRMED, approval)), "GUEST_VIOLATION", &[]);
    }

    let raised = call("ask-truly", Consent::Typed, CONFIRMED, accept(of.clone(), Some("crm_task 2")));
    assert_ended(&ended(raised), "GUEST_VIOLATION", &[]);

    for mut engine in [
        Engine { identity: Identity::User(Actor { id: "bo".into(), name: None }), ..Engine::new() },
        Engine { identity: Identity::System, ..Engine::new() },
        Engine { revision: "r2", ..Engine::new() },
    ] {
        let settings = settings("ask-truly", Consent::Accept);
        let reply = block_on(hostile().call(&mut engine, &settings, request(CONFIRMED, accept(of.clone(), None))));
        assert_ended(&(answer(reply), engine), "GUEST_VIOLATION", &[]);
    }
}

#[test]
fn what_is_typed_counts_to_the_last_byte() {
    let (_, of) = asked(call("ask-typed", Consent::Typed, CONFIRMED, None).0);
    assert_eq!(of.expected(), Some("crm_task 2"));
    for typed in [None, Some(""), Some("yes"), Some("crm_task 2 "), Some("Crm_task 2"), Some("crm_task 4")] {
        let approval = accept(of.clone(), typed);
        assert_ended(&ended(call("ask-typed", Consent::Typed, CONFIRMED, approval)), "GUEST_VIOLATION", &[]);
    }
    let (reply, engine) = call("ask-typed", Consent::Typed, CONFIRMED, accept(of, Some("crm_task 2")));
    assert_eq!(answer(reply)["deleted"], 2);
    assert_eq!(engine.gone.len(), 2);
}

#[test]
fn the_record_of_a_question_survives_its_way_out_and_back() {
    let (_, of) = asked(call("ask-typed", Consent::Typed, CONFIRMED, None).0);
    let sealed = serde_json::to_string(&of).unwrap();
    assert_eq!(serde_json::from_str::<Asked>(&sealed).unwrap(), of);
}

/// The policy as it ships, through question and approval.
#[test]
fn the_policy_s_own_question_passes() {
    for (production, consent) in
        [(false, Consent::Accept), (true, Consent::Accept), (false, Consent::Typed), (true, Consent::Typed)]
    {
        let mut settings = Settings { hand_off: None, ..settings("", consent) };
        settings.target.production = production;
        let listed = r#"{"objectName":"crm_task","recordIds":["t5"],"confirm":true}"#;
        let filtered = r#"{"objectName":"crm_task","where":{"id":{"$gt":"t2"}},"confirm":true}"#;
        for (arguments, gone) in [(CONFIRMED, 4), (listed, 1), (filtered, 4)] {
            let mut engine = Engine::new();
            let (question, of) = asked(block_on(policy().call(&mut engine, &settings, request(arguments, None))));
            assert_eq!(question.message.starts_with("PRODUCTION ["), production);
            assert!(engine.gone.is_empty());
            let typed = question.typed.map(|typed| typed.expected);
            let approval = accept(of, typed.as_deref());
            let answer = answer(block_on(policy().call(&mut engine, &settings, request(arguments, approval))));
            assert_eq!((&answer["deleted"], engine.gone.len()), (&gone.into(), gone), "{answer}");
        }
    }
}
