//! `cargo xtask bench`: the component against the native policy, over the same bridge, in one run; and in
//! JavaScript against the same policy by hand.

use std::process::Command;

use anyhow::Result;

use crate::component::{self, Toolchain};
use crate::{js, run};

/// Measure what the sandbox costs.
#[derive(clap::Args)]
pub struct Args {
    /// Handed on to the bench.
    #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
    rest: Vec<String>,
}

/// Runs the command.
pub fn run(args: &Args) -> Result<()> {
    let root = run::workspace()?;
    let toolchain = run::step("find a toolchain for wasm32-unknown-unknown", || Toolchain::find(&root))?;
    component::publish(&toolchain, &root)?;
    // As it is installed, and so compiled apart from the tests: a development build has assertions on, the sandbox's own
    // among them, which no user pays for.
    let command = ["build", "--locked", "--release", "--workspace", "--bin", "bench"];
    run::step("build the bench; the first time takes minutes", || run::cargo_in(&root, command))?;
    let program = run::program(&root, "release", "bench")?;
    run::succeed(Command::new(program).args(&args.rest))?;
    let package = run::step("build the package for JavaScript", || js::built(&root))?;
    js::npm(&package, &["run", "--silent", "bench"])
}
