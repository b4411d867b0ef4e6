//! The real MCP clients that the tests run as processes (`clients/package.json`), and the program that they meet.
//!
//! `cargo xtask test` installs and builds them. A test that lacks one fails, and says so.

use std::path::{Path, PathBuf};
use std::process::Command;

/// Their folder.
pub fn folder() -> PathBuf {
    crate::root().join("clients")
}

/// A command that runs a script of npm's packages, by its path in `node_modules`, on a Node.js that is new enough.
///
/// # Panics
/// It is not installed.
pub fn npm(script: &str) -> Command {
    let modules = folder().join("node_modules");
    let script = present(modules.join(script));
    // There is a package of Node.js for Linux alone; elsewhere the machine's own has to do.
    let packaged = modules.join(".bin/node");
    let mut command = Command::new(if packaged.exists() { packaged } else { "node".into() });
    command.arg(script);
    command
}

/// The program `deletegate`, which cargo builds beside the tests with the whole workspace.
///
/// # Panics
/// It is not built.
pub fn program() -> PathBuf {
    let tests = std::env::current_exe().unwrap_or_default();
    let folder = tests.parent().and_then(Path::parent).unwrap_or(Path::new(""));
    present(folder.join("deletegate").with_extension(std::env::consts::EXE_EXTENSION))
}

fn present(file: PathBuf) -> PathBuf {
    assert!(file.exists(), "there is no {}: run `cargo xtask test` once", file.display());
    file
}
