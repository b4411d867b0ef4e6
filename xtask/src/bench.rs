//! `cargo xtask bench`: the component against the native policy, over the same bridge, in one run.

use anyhow::Result;

use crate::component::{self, Toolchain};
use crate::run;

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
    let mut command = vec!["run", "--release", "--locked", "--package", "conformance"];
    command.extend(["--bin", "bench", "--"]);
    command.extend(args.rest.iter().map(String::as_str));
    run::step("build and run the bench", || run::cargo_in(&root, command))
}
