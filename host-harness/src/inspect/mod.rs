//! What a component can touch, before it runs: the library side of `deletegate inspect`.
//!
//! [`seal`] is the one place that judges whether a component is sealed. Loading a plugin and this report
//! both ask it.

mod carried;
mod contract;
mod seal;
mod surface;
#[cfg(test)]
mod tests;
mod types;

use serde::Serialize;
use sha2::{Digest, Sha256};

pub use carried::{Carried, FunctionDocs, InterfaceDocs, Producer};
pub use seal::{Unsealed, seal};
pub use surface::Item;

/// Everything that can be said about a component without running it.
///
/// What it carries (name, description, documentation, …) are its maker's own words: data, which nothing
/// here has checked. They may hold any character, so a terminal shows them escaped.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Report {
    /// Whether the bridge is its only way out: what [`seal`] judged.
    pub sealed: bool,
    /// Why, in one sentence.
    pub why: String,
    /// What it imports from outside.
    pub imports: Vec<Item>,
    /// What it gives to the outside.
    pub exports: Vec<Item>,
    /// In bytes.
    pub size: u64,
    /// Of all its bytes, in lower-case hexadecimal.
    pub sha256: String,
    /// The version of the WIT package `deletegate:records` that it is built for, where it names one.
    pub wit_version: Option<String>,
    /// What its maker put into it.
    #[serde(flatten)]
    pub carried: Carried,
}

/// Why there is no report.
#[derive(Debug, thiserror::Error)]
pub enum InspectError {
    /// Not WebAssembly, or WebAssembly that is not valid.
    #[error("These bytes are no WebAssembly component: {0}.")]
    Invalid(String),
    /// A core module, which has no typed imports that could be judged.
    #[error(
        "This is a core WebAssembly module and no component: make a component of it with `wasm-tools component new`."
    )]
    CoreModule,
    /// A WIT package in its binary form.
    #[error("This is a WIT package in its binary form and no component: there is nothing in it to run.")]
    WitPackage,
}

/// Reads a component.
///
/// # Errors
///
/// Where the bytes are no component. One that is not sealed is no error: the report says so.
pub fn inspect(bytes: &[u8]) -> Result<Report, InspectError> {
    let surface = surface::read(bytes)?;
    let (sealed, why) = match seal::judge(&surface) {
        Ok(()) if surface.imports.is_empty() => (true, "It imports nothing at all.".to_owned()),
        Ok(()) => (true, format!("Its only import is {}, so it has no other way to a record.", contract::BRIDGE)),
        Err(unsealed) => (false, unsealed.to_string()),
    };
    Ok(Report {
        sealed,
        why,
        wit_version: surface.wit_version(),
        imports: surface.imports,
        exports: surface.exports,
        size: bytes.len() as u64,
        sha256: Sha256::digest(bytes).iter().map(|byte| format!("{byte:02x}")).collect(),
        carried: carried::read(bytes),
    })
}
