//! Packages of npm and Python, installed where what is pinned has changed since.

use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result};

use crate::component::sha256;
use crate::run;

/// Left where an installation came to its end: what it was made of.
const STAMP: &str = "installed-from";

/// Installs just what the lockfile in `folder` names.
pub fn npm(folder: &Path) -> Result<()> {
    let pinned = sha256_of(folder, &["package.json", "package-lock.json", ".npmrc"])?;
    once(&folder.join("node_modules"), &pinned, || {
        present("npm", "Node.js 20 or later with npm is needed")?;
        run::succeed(Command::new("npm").args(["ci", "--loglevel", "error"]).current_dir(folder))
    })
}

/// Makes an environment of Python's, and has pip install `what` in it from `folder`, where `pinned` says the versions.
pub fn python(environment: &Path, folder: &Path, pinned: &str, what: &[&str]) -> Result<()> {
    let pinned = sha256_of(folder, &[pinned])?;
    once(environment, &pinned, || {
        present("python3", "Python 3.10 or later with venv is needed")?;
        run::succeed(Command::new("python3").args(["-m", "venv", "--clear"]).arg(environment))?;
        let mut pip = Command::new(environment.join("bin/python"));
        pip.args(["-m", "pip", "install", "--quiet", "--disable-pip-version-check"]).args(what);
        run::succeed(pip.current_dir(folder))
    })
}

/// Does the work unless it was done before with the same `pinned`.
fn once(installed: &Path, pinned: &str, work: impl FnOnce() -> Result<()>) -> Result<()> {
    let stamp = installed.join(STAMP);
    if std::fs::read_to_string(&stamp).ok().as_deref() == Some(pinned) {
        return Ok(());
    }
    work()?;
    std::fs::write(&stamp, pinned).with_context(|| format!("{} can't be written", stamp.display()))
}

/// The advice is for whoever lacks the program, not for whoever's installation failed.
fn present(program: &str, needed: &'static str) -> Result<()> {
    run::output(Command::new(program).arg("--version")).map(drop).context(needed)
}

fn sha256_of(folder: &Path, names: &[&str]) -> Result<String> {
    let mut bytes = Vec::new();
    for name in names {
        let file = folder.join(name);
        bytes.extend(std::fs::read(&file).with_context(|| format!("{} can't be read", file.display()))?);
    }
    Ok(sha256(&bytes))
}
