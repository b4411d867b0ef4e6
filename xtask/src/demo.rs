//! `cargo xtask demo`: from a fresh clone to the exchange, in one command.

use std::process::Command;

use anyhow::Result;

use crate::component::{self, Toolchain};
use crate::run;

/// Build the component and the host, and show one exchange of an agent with it.
#[derive(clap::Args)]
pub struct Args {
    /// Handed on to `deletegate demo`.
    #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
    rest: Vec<String>,
}

/// Runs the command.
pub fn run(args: &Args) -> Result<()> {
    let root = run::workspace()?;
    let toolchain = run::step("find a toolchain for wasm32-unknown-unknown", || Toolchain::find(&root))?;
    component::publish(&toolchain, &root)?;
    // The development profile, and for the whole workspace: its dependencies are optimised, and the tests use
    // the very same build of them.
    run::step("build the host (minutes the first time: it holds a compiler)", || {
        run::cargo_in(&root, ["build", "--locked", "--workspace", "--bin", "deletegate"])
    })?;
    let program = run::program(&root, "debug", "deletegate")?;
    run::succeed(Command::new(program).arg("demo").args(&args.rest))
}
