//! Why a component is not loaded, and why the host ended a call.

use crate::inspect::Unsealed;

/// Why a component is not loaded.
#[derive(Debug, thiserror::Error)]
pub enum LoadError {
    /// It reaches beyond the bridge: the sentence names what.
    #[error(transparent)]
    Unsealed(#[from] Unsealed),
    /// It does not give the tools, or something besides: the sentence names what.
    #[error("{0}")]
    Export(String),
    /// wasmtime can't compile or link it.
    #[error("the component does not load: {0}")]
    Component(wasmtime::Error),
    /// The thread that measures the guests' time can't be started.
    #[error("the clock for the component's time limit does not start: {0}")]
    Clock(std::io::Error),
}

/// Why the host ended a call (contract, section 11). `Plugin::call` makes an answer of it.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum CallError {
    /// The guest tried what this call does not allow. The words follow "The component ".
    #[error("The component {0}. That is not allowed here, and the call was ended.")]
    Violation(&'static str),
    /// The guest needed more than it is given.
    #[error("The component needed more {0} than it is given, and the call was ended.")]
    Limit(Limit),
    /// The guest failed by itself. The cause is in the log.
    #[error("The component failed, and the call was ended.")]
    Failed,
}

/// What there was not enough of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Limit {
    /// The guest's own computing.
    Time,
    /// Linear memory.
    Memory,
    /// Uses of the bridge.
    BridgeCalls,
    /// Bytes handed over to the host.
    Bytes,
}

impl std::fmt::Display for Limit {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Limit::Time => "time",
            Limit::Memory => "memory",
            Limit::BridgeCalls => "bridge calls",
            Limit::Bytes => "bytes",
        })
    }
}

impl CallError {
    /// The code and the status of the answer.
    pub fn code(&self) -> (&'static str, u16) {
        match self {
            CallError::Violation(_) => ("GUEST_VIOLATION", 500),
            CallError::Limit(_) => ("GUEST_LIMIT", 503),
            CallError::Failed => ("GUEST_FAILED", 500),
        }
    }
}
