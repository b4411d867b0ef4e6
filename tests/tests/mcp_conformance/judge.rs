//! What a run must have found: everything passes, and what does not apply still does not.

use conformance::clients;
use serde::Deserialize;

use super::suite::{Check, Run, Scenario, Status};

/// The check that each message on the wire fits the protocol's schema. It applies to every server.
const WIRE: &str = "wire-schema-valid";

/// Scenarios that do not apply to a server.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct NotApplicable {
    /// `fixture` or `program`.
    server: String,
    /// Each a scenario, or one check of it: `scenario:check`.
    scenarios: Vec<String>,
    reason: String,
}

impl NotApplicable {
    /// The whole list.
    pub fn list() -> Vec<NotApplicable> {
        let list = std::fs::read(clients::folder().join("conformance.json")).unwrap();
        let list: Vec<NotApplicable> = serde_json::from_slice(&list).unwrap();
        assert!(list.iter().all(|entry| !entry.reason.trim().is_empty()), "each entry gives its reason");
        list
    }
}

/// What is not as it must be.
pub fn complaints(server: &str, runs: &[Run], list: &[NotApplicable]) -> Vec<String> {
    let listed: Vec<&str> = list
        .iter()
        .filter(|entry| entry.server == server)
        .flat_map(|entry| &entry.scenarios)
        .map(|name| &**name)
        .collect();
    let mut complaints = Vec::new();
    for run in runs {
        for scenario in &run.scenarios {
            if scenario.checks.is_empty() {
                complaints.push(format!("{run}: {} checked nothing", scenario.name));
            }
            for check in scenario.checks.iter().filter(|check| !passes(check)) {
                if check.id == WIRE || !listed.iter().any(|name| covers(name, scenario, Some(check))) {
                    let why = check.error_message.as_deref().unwrap_or_default();
                    complaints.push(format!("{run}: {}:{} is {:?}: {why}", scenario.name, check.id, check.status));
                }
            }
        }
    }
    for name in listed {
        let mut met = false;
        for run in runs {
            for scenario in run.scenarios.iter().filter(|scenario| covers(name, scenario, None)) {
                met = true;
                if !scenario.checks.iter().any(|check| covers(name, scenario, Some(check)) && !passes(check)) {
                    complaints.push(format!("{run}: {name} passes: take it out of the list"));
                }
            }
        }
        if !met {
            complaints.push(format!("{name} is listed, and no scenario is called that"));
        }
    }
    complaints
}

fn passes(check: &Check) -> bool {
    matches!(check.status, Status::Success | Status::Info)
}

/// Whether a name of the list is this scenario's, and this check's.
fn covers(name: &str, scenario: &Scenario, check: Option<&Check>) -> bool {
    match name.split_once(':') {
        None => name == scenario.name,
        Some((name, id)) => name == scenario.name && check.is_none_or(|check| check.id == id),
    }
}

#[test]
fn what_is_not_as_it_must_be_is_noticed() {
    let check = |id: &str, status| Check { id: id.to_owned(), status, error_message: None };
    let told = |checks: Vec<Check>, listed: &[&str]| {
        let scenarios = vec![Scenario { name: "ping".to_owned(), checks }];
        let run = Run { revision: Some("2025-11-25".to_owned()), scenarios };
        let entry = |server: &str, scenarios: &[&str]| NotApplicable {
            server: server.to_owned(),
            scenarios: scenarios.iter().map(|&name| name.to_owned()).collect(),
            reason: "none".to_owned(),
        };
        complaints("program", &[run], &[entry("program", listed), entry("fixture", &["ping"])]).len()
    };
    let (good, bad) = (|| check("a", Status::Success), || check("b", Status::Failure));
    assert_eq!(told(vec![good(), check("c", Status::Info)], &[]), 0);
    assert_eq!(told(vec![good(), bad()], &["ping"]), 0);
    assert_eq!(told(vec![good(), bad()], &["ping:b"]), 0);
    for status in [Status::Failure, Status::Warning, Status::Skipped] {
        assert_eq!(told(vec![good(), check("b", status)], &[]), 1, "not listed: {status:?}");
    }
    assert_eq!(told(vec![good(), bad(), check("c", Status::Failure)], &["ping:b"]), 1, "another check of it");
    assert_eq!(told(vec![good()], &["ping"]), 1, "stale");
    assert_eq!(told(vec![good()], &["ping:a"]), 1, "a stale check");
    assert_eq!(told(vec![good()], &["ping:x"]), 1, "a check that is not there");
    assert_eq!(told(vec![good()], &["pong"]), 1, "a scenario that is not there");
    assert_eq!(told(vec![bad(), check(WIRE, Status::Failure)], &["ping"]), 1, "the wire");
    assert_eq!(told(vec![], &[]), 1, "nothing was checked");
}
