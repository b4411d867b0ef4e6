//! `cargo xtask playground`: the component in a page of this machine, to look at and to try.

use anyhow::Result;

use crate::component::{self, Toolchain};
use crate::{js, run};

/// Build the package for JavaScript, and serve the playground on this machine.
#[derive(clap::Args)]
pub struct Args {
    /// The port on loopback; any free one where it is not given.
    #[arg(long, default_value_t = 0)]
    port: u16,
}

/// Runs the command, until it is interrupted.
pub fn run(args: &Args) -> Result<()> {
    let root = run::workspace()?;
    let toolchain = run::step("find a toolchain for wasm32-unknown-unknown", || Toolchain::find(&root))?;
    component::publish(&toolchain, &root)?;
    let package = run::step("build the package for JavaScript", || js::built(&root))?;
    js::npm(&package, &["run", "--silent", "playground", "--", &args.port.to_string()])
}
