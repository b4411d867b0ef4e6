//! The contract that a component is held against: the WIT that this host was built with.

use wit_parser::{Function, Interface, Resolve};

/// The one import that a component may have.
pub const BRIDGE: &str = "deletegate:records/bridge@0.1.0";

/// The WIT package's name, before its version.
pub const PACKAGE: &str = "deletegate:records/";

/// The interface's name in its package.
const INTERFACE: &str = "bridge";

const TEXT: &str = include_str!("../../../wit/bridge.wit");

/// The bridge as the contract has it.
pub struct Bridge {
    pub resolve: Resolve,
    interface: wit_parser::InterfaceId,
}

impl Bridge {
    /// Reads the contract.
    ///
    /// # Errors
    ///
    /// None that a caller meets: the text is part of this program, and the tests read it.
    pub fn read() -> Result<Self, String> {
        let mut resolve = Resolve::default();
        let package = resolve.push_str("bridge.wit", TEXT).map_err(|error| error.to_string())?;
        let interface = resolve.packages[package].interfaces.get(INTERFACE).copied();
        let interface = interface.ok_or_else(|| format!("the contract has no interface {INTERFACE}"))?;
        Ok(Self { resolve, interface })
    }

    /// One of the four functions.
    pub fn function(&self, name: &str) -> Option<&Function> {
        self.interface().functions.get(name)
    }

    /// The four functions' names, for a sentence.
    pub fn names(&self) -> String {
        self.interface().functions.keys().map(String::as_str).collect::<Vec<_>>().join(", ")
    }

    fn interface(&self) -> &Interface {
        &self.resolve.interfaces[self.interface]
    }
}

/// A function as the contract's text declares it, for a sentence.
pub fn declaration(name: &str) -> &'static str {
    TEXT.lines()
        .map(str::trim)
        .find(|line| line.strip_prefix(name).is_some_and(|rest| rest.starts_with(": func")))
        .map_or("", |line| line.trim_end_matches(';'))
}
