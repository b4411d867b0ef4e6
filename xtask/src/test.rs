//! `cargo xtask test`: everything that must hold before a change lands.

use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result, ensure};

use crate::component::{self, SIZE_LIMIT, Toolchain};
use crate::{clients, js, postgres, reproducible, run};

/// Build the component and the test guests, and run every check and test.
#[derive(clap::Args)]
pub struct Args {
    /// Handed on to `cargo test --workspace`, for example the name of a test.
    #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
    rest: Vec<String>,
}

/// Runs the command.
pub fn run(args: &Args) -> Result<()> {
    let root = run::workspace()?;
    let cargo = |args: &[&str]| run::cargo_in(&root, args);
    run::step("rustfmt", || cargo(&["fmt", "--all", "--check"]))?;
    postgres::step()?;
    let toolchain = run::step("find a toolchain for wasm32-unknown-unknown", || Toolchain::find(&root))?;
    let file = component::publish(&toolchain, &root)?;
    component::publish_test_guests(&toolchain, &root)?;
    run::step("clippy", || {
        let workspace = ["clippy", "--locked", "--workspace", "--all-targets"];
        cargo(&[&workspace[..], &["--", "--deny", "warnings"]].concat())
    })?;
    // Programs and tests in one build, so that both share one set of dependencies.
    run::step("build the programs and the tests", || {
        cargo(&["build", "--locked", "--workspace", "--bins", "--tests", "--examples"])
    })?;
    clients::install(&root)?;
    run::step("test", || {
        let rest = args.rest.iter().map(String::as_str);
        cargo(&["test", "--locked", "--workspace"].into_iter().chain(rest).collect::<Vec<_>>())
    })?;
    run::step("inspect the component", || inspect(&root, &file))?;
    js::test(&root)?;
    reproducible::step(&toolchain, &root, &file)
}

/// What `deletegate inspect` says of the component, as a person who pulls it would ask.
fn inspect(root: &Path, component: &Path) -> Result<()> {
    let program = run::program(root, "debug", "deletegate")?;
    let json = run::output(Command::new(program).arg("inspect").arg(component).arg("--json"))?;
    let report: serde_json::Value = serde_json::from_str(&json).context("`deletegate inspect --json` prints JSON")?;
    let size = report["size"].as_u64().context("the report has a size")?;
    ensure!(size < SIZE_LIMIT as u64, "the component has {size} bytes; it must stay under {SIZE_LIMIT}");
    let imports = report["imports"].as_array().context("the report has a list of imports")?;
    ensure!(imports.len() == 1, "the component has {} imports; it must have one", imports.len());
    ensure!(report["sealed"] == true, "the component is not sealed: {report}");
    eprintln!("    {size} bytes, one import, sealed");
    Ok(())
}
