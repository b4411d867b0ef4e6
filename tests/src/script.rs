//! What a bridge does otherwise than its engine would, as data.

use std::sync::Arc;

use deletegate::bridge::memory::{Change, Function, Moment, RefusalText, Step};
use deletegate::bridge::{
    Actor, Count, Dependents, Effect, Failure, Identity, Page, Principal, Refusal, Removal, Row, Scalar, Totals, Verbs,
};
use serde::Deserialize;

/// One event at a call of the bridge.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Event {
    /// The function.
    pub at: Function,
    /// Which call of it within this call of the tool, from 1; each where it is not there.
    pub call: Option<u32>,
    /// Somebody else does this just before it.
    pub change: Option<Change>,
    /// It has no answer.
    pub fails: Option<Fails>,
    /// It answers otherwise.
    pub answers: Option<Answers>,
}

/// Why a function has no answer.
#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Fails {
    /// A rule says no.
    Refused(RefusalText),
    /// The engine failed.
    Faulted(String),
    /// The caller went away.
    Cancelled,
    /// The call's time is over.
    DeadlineExceeded,
    /// There is no such ability.
    Unsupported,
}

/// What a function answers instead.
#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Answers {
    /// `resolve-principal`: this user.
    Actor(String),
    /// `resolve-principal`: the system.
    System,
    /// `resolve-principal`: nobody known.
    Anonymous,
    /// `resolve-principal`: only these verbs.
    Verbs(Vec<String>),
    /// `resolve-principal`: no such object.
    NoAccess,
    /// `resolve-principal`: a narrower view, in this sentence.
    Narrowing(String),
    /// `resolve-principal`: the object has this name.
    Object(String),
    /// `query`: these rows of a one-field text key, whatever was asked for, and whether there are more.
    Rows(Vec<String>, bool),
    /// `query`: every label is this.
    Label(String),
    /// `aggregate`: this many, exactly.
    Count(u64),
    /// `aggregate`: so many or more.
    AtLeast(u64),
    /// `aggregate`: these dependents, in this order: object, count, effect.
    Dependents(Vec<(String, u64, String)>),
    /// `remove`: gone.
    Removed,
    /// `remove`: gone, with this warning.
    RemovedWithWarning(String),
    /// `remove`: not there.
    Absent,
    /// `remove`: still there, without an error.
    Kept,
    /// `remove`: not the same any more.
    Changed,
}

/// The events as steps of a scripted bridge; `apply` does what somebody else does.
pub fn steps(events: &[Event], apply: &Arc<dyn Fn(&Change) + Send + Sync>) -> Vec<(Moment, Step)> {
    let mut steps = Vec::new();
    for event in events {
        let moment = Moment { function: event.at, call: event.call };
        if let Some(change) = event.change.clone() {
            let apply = apply.clone();
            steps.push((moment, Step::Before(Box::new(move || apply(&change)))));
        }
        if let Some(fails) = event.fails.clone() {
            steps.push((moment, Step::Fails(failure(fails))));
        }
        if let Some(answers) = event.answers.clone() {
            steps.push((moment, answer(event.at, answers)));
        }
    }
    steps
}

fn failure(fails: Fails) -> Failure {
    match fails {
        Fails::Refused(RefusalText { code, status, reason, retryable }) => {
            Failure::Refused(Refusal { code, status, reason, retryable })
        }
        Fails::Faulted(sentence) => Failure::Faulted(sentence),
        Fails::Cancelled => Failure::Cancelled,
        Fails::DeadlineExceeded => Failure::DeadlineExceeded,
        Fails::Unsupported => Failure::Unsupported,
    }
}

fn answer(at: Function, answers: Answers) -> Step {
    match at {
        Function::ResolvePrincipal => Step::Principal(Box::new(move |was| principal(was, &answers))),
        Function::Query => Step::Page(Box::new(move |was| page(was, &answers))),
        Function::Aggregate => Step::Totals(Box::new(move |was| totals(was, &answers))),
        Function::Remove => Step::Removal(removal(answers)),
    }
}

fn principal(mut was: Principal, answers: &Answers) -> Principal {
    match answers {
        Answers::Actor(id) => was.identity = Identity::User(Actor { id: id.clone(), name: None }),
        Answers::System => was.identity = Identity::System,
        Answers::Anonymous => was.identity = Identity::Anonymous,
        Answers::NoAccess => was.access = None,
        Answers::Narrowing(sentence) => was.narrowing = Some(sentence.clone()),
        Answers::Object(name) => {
            if let Some(access) = &mut was.access {
                access.object = name.clone();
            }
        }
        Answers::Verbs(names) => {
            if let Some(access) = &mut was.access {
                access.verbs = names.iter().fold(Verbs::empty(), |verbs, name| match name.as_str() {
                    "list" => verbs | Verbs::LIST,
                    "remove" => verbs | Verbs::REMOVE,
                    other => panic!("no verb is called {other:?}"),
                });
            }
        }
        other => panic!("resolve-principal does not answer {other:?}"),
    }
    was
}

fn page(mut was: Page, answers: &Answers) -> Page {
    match answers {
        Answers::Rows(ids, more) => {
            let row = |id: &String| Row { id: vec![Scalar::Text(id.clone())], label: None, revision: None };
            Page { rows: ids.iter().map(row).collect(), more: *more }
        }
        Answers::Label(label) => {
            for row in &mut was.rows {
                row.label = Some(label.clone());
            }
            was
        }
        other => panic!("query does not answer {other:?}"),
    }
}

fn totals(mut was: Totals, answers: &Answers) -> Totals {
    match answers {
        Answers::Count(number) => was.count = Count::Exact(*number),
        Answers::AtLeast(number) => was.count = Count::AtLeast(*number),
        Answers::Dependents(list) => {
            let one = |(object, count, effect): &(String, u64, String)| Dependents {
                object: object.clone(),
                count: *count,
                effect: match effect.as_str() {
                    "cascade" => Effect::Cascade,
                    "restrict" => Effect::Restrict,
                    "detach" => Effect::Detach,
                    other => panic!("no effect is called {other:?}"),
                },
            };
            was.dependents = Some(list.iter().map(one).collect());
        }
        other => panic!("aggregate does not answer {other:?}"),
    }
    was
}

fn removal(answers: Answers) -> Removal {
    match answers {
        Answers::Removed => Removal::Removed,
        Answers::RemovedWithWarning(sentence) => Removal::RemovedWithWarning(sentence),
        Answers::Absent => Removal::Absent,
        Answers::Kept => Removal::Kept,
        Answers::Changed => Removal::Changed,
        other => panic!("remove does not answer {other:?}"),
    }
}
