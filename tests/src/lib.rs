//! The conformance suite: cases as data, run against every host of the component.
//!
//! A case says what is in the engine, who calls which tool with which arguments, and what must come of it:
//! the whole answer, the calls of the bridge where they matter, and the records that are left. `README.md`
//! describes the format. A host is a policy (the guest natively, or as the component) over an engine
//! (memory, SQLite, or PostgreSQL), and all must give the same bytes.

#![forbid(unsafe_code)]

pub mod arguments;
pub mod bless;
pub mod case;
pub mod clients;
pub mod differences;
pub mod engine;
pub mod filters;
pub mod fixture;
pub mod host;
pub mod policy;
pub mod pretty;
pub mod run;
pub mod schemas;
pub mod script;
pub mod settings;

use std::path::PathBuf;

/// This folder.
pub fn root() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
}
