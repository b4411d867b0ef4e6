//! The policy, natively or as the component.

use anyhow::Context;
use deletegate::bridge::Bridge;
use deletegate::plugin::{self, Cancel, Limits, Plugin, Reply};
use deletegate::tools::{self, Outcome, Settings};
use futures_executor::block_on;

/// What a person was asked last, as the policy wants it back.
#[derive(Clone, Debug)]
pub enum Asked {
    /// The question's digest.
    Digest(String),
    /// The host's own record of the question.
    Host(Box<plugin::Asked>),
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
    /// The component in its sandbox, behind the guard.
    Component(Plugin),
}

impl Policy {
    /// Loads a component from the folder where `cargo xtask component` leaves it.
    pub fn component(file: &str) -> anyhow::Result<Policy> {
        let path = crate::root().join("../target/component").join(file);
        let missing = || format!("{} is not there: cargo xtask component --test-guests", path.display());
        let bytes = std::fs::read(&path).with_context(missing)?;
        Ok(Policy::Component(Plugin::load(&bytes, Limits::default())?))
    }

    /// Makes the call; with a question comes what its approval must bring back.
    pub fn call(
        &self,
        bridge: &mut dyn Bridge,
        settings: &Settings,
        request: Request,
    ) -> anyhow::Result<(Outcome, Option<Asked>)> {
        match self {
            Policy::Native => native(bridge, settings, request),
            Policy::Component(plugin) => component(plugin, bridge, settings, request),
        }
    }
}

fn native(bridge: &mut dyn Bridge, settings: &Settings, request: Request) -> anyhow::Result<(Outcome, Option<Asked>)> {
    let approval = match request.approval {
        None => None,
        Some((action, typed, Asked::Digest(digest))) => Some(tools::Approval { action, typed, digest }),
        Some((_, _, Asked::Host(_))) => anyhow::bail!("the question was the component's"),
    };
    let call = tools::Call { tool: request.tool, arguments: request.arguments, scopes: request.scopes, approval };
    let outcome = deletegate::native::call(bridge, settings, &call);
    let asked = match &outcome {
        Outcome::Asks(question) => Some(Asked::Digest(question.digest.clone())),
        _ => None,
    };
    Ok((outcome, asked))
}

fn component(
    plugin: &Plugin,
    bridge: &mut dyn Bridge,
    settings: &Settings,
    request: Request,
) -> anyhow::Result<(Outcome, Option<Asked>)> {
    let approval = match request.approval {
        None => None,
        Some((action, typed, Asked::Host(asked))) => Some(plugin::Approval { action, typed, asked: *asked }),
        Some((_, _, Asked::Digest(_))) => anyhow::bail!("the question was the native policy's"),
    };
    let request = plugin::Request {
        tool: request.tool,
        arguments: request.arguments,
        scopes: request.scopes,
        approval,
        cancel: Cancel::default(),
    };
    Ok(match block_on(plugin.call(bridge, settings, request)) {
        Reply::Answered(answer) => (Outcome::Answered(answer), None),
        Reply::Asks { question, asked } => (Outcome::Asks(question), Some(Asked::Host(Box::new(asked)))),
        Reply::UnknownTool => (Outcome::UnknownTool, None),
    })
}
