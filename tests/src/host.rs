//! The hosts: a policy over an engine.

use crate::engine::Kind;
use crate::policy::Policy;

/// A policy over an engine.
#[derive(Clone)]
pub struct Host {
    /// How the suite's output and the list of differences call it.
    pub name: &'static str,
    /// The policy.
    pub policy: Policy,
    /// The engine.
    pub engine: Kind,
    /// Whether each `remove` is done as somebody else, which the suite must notice.
    pub removes_as_another: bool,
}

impl Host {
    /// The guest as a plain library over memory: the host whose answers `BLESS=1` writes.
    pub fn native() -> Host {
        Host { name: "native-memory", policy: Policy::Native, engine: Kind::Memory, removes_as_another: false }
    }

    /// Every host.
    pub fn all() -> Vec<Host> {
        vec![Host::native()]
    }
}
