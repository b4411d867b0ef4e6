//! Installing what is missing from Debian's packages, where that may be done.

use std::path::Path;
use std::process::Command;

use anyhow::{Result, bail};

use crate::run;

/// Installs packages as root on Debian; elsewhere fails with the advice.
pub fn install(packages: &[&str], advice: &str) -> Result<()> {
    let root = run::output(Command::new("id").arg("-u")).is_ok_and(|id| id.trim() == "0");
    if !root || !Path::new("/usr/bin/apt-get").exists() {
        bail!("{advice}");
    }
    eprintln!("    installing {} with apt-get", packages.join(", "));
    let mut apt = Command::new("apt-get");
    apt.env("DEBIAN_FRONTEND", "noninteractive");
    run::succeed(apt.args(["update", "--quiet"]))?;
    let mut apt = Command::new("apt-get");
    apt.env("DEBIAN_FRONTEND", "noninteractive");
    apt.args(["install", "--yes", "--quiet", "--no-install-recommends"]);
    run::succeed(apt.args(packages))
}
