//! The policy, natively or as the component.

use deletegate::bridge::{Bridge, Failure, Page, Principal, Removal, Scalar, Selection, Totals};
use deletegate::tools::{self, Approval, Outcome, Settings};
use futures_executor::block_on;

/// What a person was asked last, as the policy wants it back.
#[derive(Clone, Debug)]
pub enum Asked {
    /// The question's digest.
    Digest(String),
}

/// One call, ready to be made.
pub struct Request {
    /// The tool.
    pub tool: String,
    /// The arguments' own bytes.
    pub arguments: String,
    /// What the caller's credentials allow.
    pub scopes: tools::Scopes,
    /// What a person did, what they typed, and which question it was.
    pub approval: Option<(tools::Action, Option<String>, Asked)>,
}

/// A policy and how it is run.
#[derive(Clone)]
pub enum Policy {
    /// The guest as a plain library.
    Native,
}

impl Policy {
    /// Makes the call; with a question comes what its approval must bring back.
    pub fn call(&self, bridge: &mut dyn Bridge, settings: &Settings, request: Request) -> (Outcome, Option<Asked>) {
        match self {
            Policy::Native => native(bridge, settings, request),
        }
    }
}

fn native(bridge: &mut dyn Bridge, settings: &Settings, request: Request) -> (Outcome, Option<Asked>) {
    let approval = request.approval.map(|(action, typed, Asked::Digest(digest))| Approval { action, typed, digest });
    let call = tools::Call { tool: request.tool, arguments: request.arguments, scopes: request.scopes, approval };
    let outcome = delete_records::call_tool(&mut Blocking(bridge), settings, &call);
    let asked = match &outcome {
        Outcome::Asks(question) => Some(Asked::Digest(question.digest.clone())),
        _ => None,
    };
    (outcome, asked)
}

/// A host's bridge as the guest takes it: each function waits.
struct Blocking<'a>(&'a mut dyn Bridge);

impl delete_records::Bridge for Blocking<'_> {
    fn resolve_principal(&mut self, object: &str) -> Result<Principal, Failure> {
        block_on(self.0.resolve_principal(object))
    }

    fn query(
        &mut self,
        object: &str,
        selection: &Selection,
        after: Option<&[Scalar]>,
        limit: u32,
    ) -> Result<Page, Failure> {
        block_on(self.0.query(object, selection, after, limit))
    }

    fn aggregate(&mut self, object: &str, selection: &Selection) -> Result<Totals, Failure> {
        block_on(self.0.aggregate(object, selection))
    }

    fn remove(&mut self, object: &str, id: &[Scalar], revision: Option<&str>) -> Result<Removal, Failure> {
        block_on(self.0.remove(object, id, revision))
    }
}
