//! The MCP project's own conformance suite and inspector, against this server.
//!
//! | what | is met by |
//! | --- | --- |
//! | the suite, every scenario | [`fixture`]: the tools that scenarios call, on the product's transport |
//! | the suite, what applies to a server of these tools | the program, over HTTP, with tokens |
//! | the inspector | the program, over stdio |
//!
//! What does not apply stands in `clients/conformance.json`, with the reason.

mod fixture;
mod inspector;
mod judge;
mod serving;
mod suite;

use judge::{NotApplicable, complaints};
use serving::Home;
use suite::Run;

/// The revisions that are spoken.
const REVISIONS: [&str; 3] = ["2025-06-18", "2025-11-25", "2026-07-28"];

#[test]
fn every_scenario_passes_on_the_transport() {
    let url = serving::fixture();
    let runs: Vec<Run> = REVISIONS.iter().map(|revision| suite::run(&url, Some(revision), None)).collect();
    assert_eq!(complaints("fixture", &runs, &NotApplicable::list()), Vec::<String>::new());
}

#[test]
fn what_applies_to_the_program_passes_on_it() {
    let home = Home::new();
    let (server, token) = (home.serve(), home.token());
    let each = REVISIONS.iter().map(|revision| Some(*revision));
    // The extensions belong to no revision: only a run of everything has them.
    let runs: Vec<Run> = each.chain([None]).map(|revision| suite::run(&server.url, revision, Some(&token))).collect();
    assert_eq!(complaints("program", &runs, &NotApplicable::list()), Vec::<String>::new());
    assert_eq!(home.left(), 3);
}
