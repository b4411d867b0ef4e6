//! What a person was asked, as the host itself knows it.

use delete_records::bridge::Identity;
use delete_records::tools::{Consent, ObjectRule, Settings};
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use super::intent::Intent;
use super::rows::Rows;
use crate::plugin::Request;

/// The guard's own record of a question: who asks to delete what, and what a person must type for it. The
/// approval brings it back, and has to be equal in every member to what the repeated call would ask.
///
/// It is worth an approval, so a server that gives it out of its hands seals it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Asked {
    tool: String,
    /// What [`Request::arguments_digest`] says.
    arguments: String,
    object: String,
    caller: Caller,
    /// Name and environment, and whether it is production.
    target: (String, String, bool),
    /// SHA-256 of the records' ids and revisions, in order.
    rows: String,
    count: u64,
    /// What must be typed, under `typed`.
    expected: Option<String>,
    /// The guest's own digest.
    digest: String,
}

/// Who is calling: the kind of identity, and the actor's id.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) enum Caller {
    User(String),
    System,
    Anonymous,
}

impl Asked {
    /// The question that this call comes to.
    pub(super) fn about(
        request: &Request,
        settings: &Settings,
        rule: &ObjectRule,
        intent: &Intent,
        caller: &Caller,
        rows: &Rows,
        digest: &str,
    ) -> Asked {
        let target = &settings.target;
        let count = rows.len();
        Asked {
            tool: request.tool.clone(),
            arguments: request.arguments_digest(),
            object: intent.object().to_owned(),
            caller: caller.clone(),
            target: (target.name.clone(), target.environment.clone(), target.production),
            rows: rows.digest(),
            count,
            expected: (rule.consent == Consent::Typed).then(|| intent.expected(rows)),
            digest: digest.to_owned(),
        }
    }

    /// The guest's own digest, which the approval gives back to it.
    pub fn digest(&self) -> &str {
        &self.digest
    }

    /// What the person must type, where they must.
    pub fn expected(&self) -> Option<&str> {
        self.expected.as_deref()
    }

    /// How many records the question is about.
    pub fn count(&self) -> u64 {
        self.count
    }
}

impl Caller {
    pub(super) fn of(identity: &Identity) -> Caller {
        match identity {
            Identity::User(actor) => Caller::User(actor.id.clone()),
            Identity::System => Caller::System,
            Identity::Anonymous => Caller::Anonymous,
        }
    }

    pub(super) fn is_anonymous(&self) -> bool {
        *self == Caller::Anonymous
    }
}

pub(crate) fn hex(hash: Sha256) -> String {
    hash.finalize().iter().map(|byte| format!("{byte:02x}")).collect()
}
