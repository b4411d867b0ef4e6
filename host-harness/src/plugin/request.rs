//! One call of a tool, as a host makes it, and what it comes to.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use delete_records::tools::{Action, Answer, Question, Scopes};

pub use crate::guard::Asked;

/// One call of a tool.
#[derive(Debug, Clone)]
pub struct Request {
    /// The tool's name.
    pub tool: String,
    /// The arguments' own bytes, as JSON.
    pub arguments: String,
    /// What the caller's credentials allow.
    pub scopes: Scopes,
    /// What a person answered to the question of an earlier, equal call.
    pub approval: Option<Approval>,
    /// Lets the host stop the call at the next record.
    pub cancel: Cancel,
}

/// What a person answered, and to which question.
#[derive(Debug, Clone)]
pub struct Approval {
    /// What became of the question.
    pub action: Action,
    /// What the person typed.
    pub typed: Option<String>,
    /// The host's own record of the question, as [`Reply::Asks`] gave it. A server that hands it to a client
    /// seals it first: whoever can write one can approve anything that this caller may delete.
    pub asked: Asked,
}

/// What a call comes to.
#[derive(Debug, Clone)]
#[expect(clippy::large_enum_variant, reason = "there is one a call, and a box would stand in the way of every host")]
pub enum Reply {
    /// It is over. Every failure is one of these too.
    Answered(Answer),
    /// A person must be asked; nothing was deleted. Call again, with the approval.
    Asks {
        /// What to show; the guard has checked it.
        question: Question,
        /// What the approval has to bring back.
        asked: Asked,
    },
    /// No such tool, or it is off: the protocol's own error.
    UnknownTool,
}

/// Stops a call at the next bridge function; what was deleted before is in the answer.
#[derive(Debug, Clone, Default)]
pub struct Cancel(Arc<AtomicBool>);

impl Cancel {
    /// Stops the call. There is no way back.
    pub fn cancel(&self) {
        self.0.store(true, Ordering::Relaxed);
    }

    /// Whether the call is to stop.
    pub fn is_cancelled(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}
