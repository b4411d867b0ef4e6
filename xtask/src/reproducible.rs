//! The check that two builds in two different folders are the same bytes.

use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result, bail};

use crate::component::{self, DELETE_RECORDS, Toolchain, revision, sha256};
use crate::run;

/// Builds the component from a copy of the sources in another folder and compares it with `first`.
pub fn step(toolchain: &Toolchain, root: &Path, first: &Path) -> Result<()> {
    run::step("build the component in another folder: the same bytes", || check(toolchain, root, first))
}

fn check(toolchain: &Toolchain, root: &Path, first: &Path) -> Result<()> {
    let first = std::fs::read(first)?;
    let elsewhere = tempfile::Builder::new().prefix("elsewhere").tempdir()?;
    copy_sources(root, elsewhere.path())?;
    let folder = elsewhere.path().canonicalize()?;
    // The copy is no repository, so the revision is handed on; all else comes from the sources.
    let second = component::build(toolchain, &folder, &DELETE_RECORDS, revision(root))?;
    if first != second {
        bail!(
            "the component depends on the folder it is built in: sha256 {} here, {} elsewhere",
            sha256(&first),
            sha256(&second)
        );
    }
    eprintln!("    the same bytes: sha256 {}", sha256(&second));
    Ok(())
}

/// Copies what git knows, and what it would add, as it lies in the folder now.
fn copy_sources(from: &Path, to: &Path) -> Result<()> {
    let listed = run::output(
        Command::new("git").args(["ls-files", "-z", "--cached", "--others", "--exclude-standard"]).current_dir(from),
    )
    .context("the list of source files comes from git")?;
    for name in listed.split_terminator('\0') {
        let source = from.join(name);
        // A file that was deleted and not yet committed is listed too.
        if !source.is_file() {
            continue;
        }
        let target = to.join(name);
        if let Some(folder) = target.parent() {
            std::fs::create_dir_all(folder)?;
        }
        std::fs::copy(&source, &target).with_context(|| format!("{} can't be copied", source.display()))?;
    }
    Ok(())
}
