//! The policy of deletegate: what stands between an AI agent and a deletion.
//!
//! A call goes through the strict door for its arguments, the caller's access, the filter or the ids,
//! the selection, the consent and the removal loop, in that order (section 1 of the contract). All
//! that it may touch is a [`Bridge`] of four functions. It has no clock, no random, no secret and no
//! global state: the same call and the same bridge answers give the same bytes, always.
//!
//! The same code runs natively, over any `Bridge`, and as the WebAssembly component whose only import
//! is that bridge (`component.rs`).

#![cfg_attr(target_arch = "wasm32", no_std)]
#![deny(unsafe_code)]

extern crate alloc;

#[allow(unsafe_code, missing_docs, clippy::all)]
mod bindings {
    wit_bindgen::generate!({
        path: "../wit",
        world: "delete-records",
        additional_derives: [PartialEq, Eq, PartialOrd, Ord, Hash, Clone],
        pub_export_macro: true,
    });
}

/// What the host lends: the types of the WIT interface `bridge`, documented there.
pub mod bridge {
    pub use crate::bindings::deletegate::records::bridge::{
        Access, Actor, Comparison, Condition, Count, Dependents, Effect, Failure, Field, FieldType, FilterTerm,
        Identity, Instant, Page, Principal, RecordId, Refusal, Removal, Row, Scalar, Selection, Totals, Verbs,
    };
}

/// What the guest gives: the types of the WIT interface `tools`, documented there.
pub mod tools {
    pub use crate::bindings::exports::deletegate::records::tools::{
        Action, Answer, Approval, Call, Consent, EventLog, ObjectRule, Outcome, Question, Scopes, Settings, Target,
        Tool, ToolSet, TypedAnswer,
    };
}

use bridge::{Failure, Page, Principal, Removal, Scalar, Selection, Totals};
use prelude::*;

/// The four functions that a host lends, and all that the policy can do to the world outside.
/// What each owes is documented at the interface `bridge` of the WIT package.
pub trait Bridge {
    /// Who is calling now, and what they may do with this object.
    fn resolve_principal(&mut self, object: &str) -> Result<Principal, Failure>;

    /// The records selected, as this caller sees them, behind `after`, at most `limit`.
    fn query(
        &mut self,
        object: &str,
        selection: &Selection,
        after: Option<&[Scalar]>,
        limit: u32,
    ) -> Result<Page, Failure>;

    /// Totals over the same selection.
    fn aggregate(&mut self, object: &str, selection: &Selection) -> Result<Totals, Failure>;

    /// Deletes one record through the engine's one delete path.
    fn remove(&mut self, object: &str, id: &[Scalar], revision: Option<&str>) -> Result<Removal, Failure>;
}

pub mod answer;
#[cfg(target_arch = "wasm32")]
mod component;
mod consent;
mod delete_events;
mod delete_record;
mod delete_records;
mod deletion;
mod digest;
mod door;
mod filter;
pub mod id;
mod instant;
pub mod json;
mod list_objects;
mod near;
mod output;
mod plan;
mod prelude;
mod preview;
mod principal;
mod question;
pub mod refused;
pub mod removal;
mod scalar;
mod selection;
mod settings;
mod sorted;
pub mod text;
mod tool;

use refused::Refused;
use tools::{Answer, Call, Outcome, Scopes, Settings, Tool};

/// What is wrong with the settings, one sentence each; empty where they can be used.
pub fn check_settings(settings: &Settings) -> Vec<String> {
    settings::check(settings)
}

/// The tools that this caller may call, in a stable order.
pub fn list_tools(settings: &Settings, scopes: Scopes) -> Vec<Tool> {
    if principal::check_scopes(scopes).is_err() {
        return Vec::new();
    }
    tool::offered(settings).map(|tool| tool.listed(settings)).collect()
}

/// Runs one call of a tool.
pub fn call_tool(bridge: &mut dyn Bridge, settings: &Settings, call: &Call) -> Outcome {
    run(bridge, settings, call)
        .unwrap_or_else(|refused| Outcome::Answered(Answer { failed: true, json: answer::write(refused.json()) }))
}

fn run(bridge: &mut dyn Bridge, settings: &Settings, call: &Call) -> Result<Outcome, Refused> {
    let arguments = door::read(&call.arguments)?;
    let Some(tool) = tool::offered(settings).find(|tool| tool.name == call.tool) else {
        return Ok(Outcome::UnknownTool);
    };
    if let Some(sentence) = settings::check(settings).first() {
        return Err(Refused::new("SETTINGS_INVALID", 500, format!("The host's settings can't be used: {sentence}")));
    }
    principal::check_scopes(call.scopes)?;
    door::check(tool.name, tool.arguments, &arguments)?;
    (tool.run)(bridge, settings, call, &arguments)
}
