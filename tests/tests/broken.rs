//! Three rules are proven by breaking them: each broken part turns cases red that a sound host passes.

use std::collections::BTreeSet;

use conformance::case::Case;
use conformance::engine::Kind;
use conformance::host::Host;
use conformance::policy::Policy;
use conformance::run;

/// The cases that fail on this host.
fn red(host: &Host) -> BTreeSet<String> {
    let cases = Case::all().unwrap();
    cases.into_iter().filter(|case| run::check(case, host).is_err()).map(|case| case.name).collect()
}

/// The host fails the named cases, and a sound one passes them.
#[track_caller]
fn assert_red(host: &Host, named: &[&str]) {
    let (red, sound) = (red(host), red(&Host::native()));
    for case in named {
        assert!(red.contains(*case), "{} passes {case}", host.name);
        assert!(!sound.contains(*case), "{case} fails on a sound host too, so its failing proves nothing");
    }
}

fn component(name: &'static str, file: &str) -> Host {
    Host::new(name, Policy::component(file).unwrap(), Kind::Memory)
}

#[test]
fn a_preview_that_deletes_turns_the_suite_red() {
    let host = component("break-preview", "test/break-preview.wasm");
    assert_red(&host, &["preview::of_a_filter", "preview::of_ids", "consent::typed", "hand::b12_ids_above_2_53"]);
}

#[test]
fn a_missing_gate_of_consent_turns_the_suite_red() {
    let host = component("break-consent", "test/break-consent.wasm");
    let named = ["door::confirm_absent_or_false", "consent::accept", "consent::typed_wrong", "consent::declined"];
    assert_red(&host, &named);
}

#[test]
fn a_bridge_that_removes_as_somebody_else_turns_the_suite_red() {
    let host = Host { name: "removes-as-another", removes_as_another: true, ..Host::native() };
    assert_red(&host, &["loop::not_permitted", "hand::b06_partly_applied"]);
    let component = component("removes-as-another", "delete-records.wasm");
    assert_red(&Host { removes_as_another: true, ..component }, &["loop::not_permitted", "hand::b06_partly_applied"]);
}
