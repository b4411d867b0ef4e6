//! The hosts in JavaScript and Python: their packages installed, built of the component, and tested.

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result};

use crate::component::{self, Toolchain};
use crate::{debian, install, postgres, run};

/// Where Debian's package has the browser.
const CHROMIUM: &str = "/usr/bin/chromium";

/// Build the component, and build and test the packages for JavaScript and Python alone.
#[derive(clap::Args)]
pub struct Args {}

/// Runs the command.
pub fn run(Args {}: &Args) -> Result<()> {
    let root = run::workspace()?;
    let toolchain = run::step("find a toolchain for wasm32-unknown-unknown", || Toolchain::find(&root))?;
    component::publish(&toolchain, &root)?;
    test(&root)
}

/// Builds both packages and runs their tests.
pub fn test(root: &Path) -> Result<()> {
    let js = root.join("host-harness/js");
    postgres::step()?;
    run::step("JavaScript: what the tests need", || {
        browser()?;
        install::npm(&js)
    })?;
    run::step("JavaScript: build the package of the component", || npm(&js, &["run", "build"]))?;
    run::step("JavaScript: test", || npm(&js, &["test"]))?;
    let python = root.join("host-harness/python");
    let program = run::step("Python: what the tests need", || environment(root, &python))?;
    run::step("Python: test", || run::succeed(Command::new(program).arg("tests/run.py").current_dir(&python)))
}

/// The package of JavaScript, built, for what is not a test.
pub fn built(root: &Path) -> Result<PathBuf> {
    let js = root.join("host-harness/js");
    install::npm(&js)?;
    npm(&js, &["run", "build"])?;
    Ok(js)
}

/// Runs npm in the package.
pub fn npm(js: &Path, args: &[&str]) -> Result<()> {
    run::succeed(Command::new("npm").args(args).current_dir(js))
}

/// The browser that a suite runs in.
fn browser() -> Result<()> {
    if !Path::new(CHROMIUM).exists() {
        debian::install(&["chromium"], "a suite runs in Chromium: on Debian, as root, `apt-get install chromium`")?;
    }
    Ok(())
}

/// A Python of its own for the tests, with what the package depends on, and the component beside it.
fn environment(root: &Path, python: &Path) -> Result<PathBuf> {
    let component = root.join("target/component/delete-records.wasm");
    std::fs::copy(&component, python.join("deletegate/delete-records.wasm"))
        .with_context(|| format!("{} is not there: cargo xtask component", component.display()))?;
    let venv = python.join(".venv");
    // In place, so that the tests run what stands here.
    install::python(&venv, python, "pyproject.toml", &["--editable", "."])?;
    Ok(venv.join("bin/python"))
}
