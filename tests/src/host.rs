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
    /// A sound host.
    pub fn new(name: &'static str, policy: Policy, engine: Kind) -> Host {
        Host { name, policy, engine, removes_as_another: false }
    }

    /// The guest as a plain library over memory: the host whose answers `BLESS=1` writes.
    pub fn native() -> Host {
        Host::new("native-memory", Policy::Native, Kind::Memory)
    }

    /// Every host.
    ///
    /// # Errors
    /// The component is not built.
    pub fn all() -> anyhow::Result<Vec<Host>> {
        let component = Policy::component("delete-records.wasm")?;
        Ok(vec![
            Host::native(),
            Host::new("component-memory", component.clone(), Kind::Memory),
            Host::new("component-sqlite", component.clone(), Kind::Sqlite),
            Host::new("component-postgres", component, Kind::Postgres),
        ])
    }
}
