//! The policy of deletegate: what stands between an AI agent and a deletion.
//!
//! A call goes through the strict door for its arguments, the caller's access, the filter or the ids,
//! the selection, the consent and the removal loop, in that order (section 1 of the contract). All
//! that it may touch is a [`Bridge`] of four functions. It has no clock, no random, no secret and no
//! global state: the same call and the same bridge answers give the same bytes, always.
//!
//! The same code runs natively, over any `Bridge`, and as the WebAssembly component whose only import
//! is that bridge (`component.rs`).

#![deny(unsafe_code)]

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
        Access, Actor, Comparison, Condition, Count, Dependents, Effect, Failure, Field, FieldType,
        FilterTerm, Identity, Instant, Page, Principal, RecordId, Refusal, Removal, Row, Scalar,
        Selection, Totals, Verbs,
    };
}

/// What the guest gives: the types of the WIT interface `tools`, documented there.
pub mod tools {
    pub use crate::bindings::exports::deletegate::records::tools::{
        Action, Answer, Approval, Call, Consent, EventLog, ObjectRule, Outcome, Question, Scopes,
        Settings, Target, Tool, ToolSet, TypedAnswer,
    };
}

use bridge::{Failure, Page, Principal, Removal, Scalar, Selection, Totals};

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
    fn remove(
        &mut self,
        object: &str,
        id: &[Scalar],
        revision: Option<&str>,
    ) -> Result<Removal, Failure>;
}

mod filter;
mod instant;
pub mod json;
mod near;
mod refused;
mod scalar;
pub mod text;
