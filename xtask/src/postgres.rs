//! The server that the tests start: its programs must be there, or they are installed. Nothing is left out without them.

use std::path::{Path, PathBuf};

use anyhow::{Result, ensure};

use crate::{debian, run};

const ADVICE: &str = "the tests start a PostgreSQL server, 14 or later, of their own: on Debian, as root, `apt-get install \
                      postgresql`; elsewhere, put `initdb`, `postgres` and `pg_isready` on the PATH";

/// Finds PostgreSQL's programs, or installs them.
pub fn step() -> Result<()> {
    run::step("find PostgreSQL's programs", || {
        if programs().is_none() {
            debian::install(&["postgresql"], ADVICE)?;
        }
        let programs = programs();
        ensure!(programs.is_some(), "{ADVICE}");
        eprintln!("    {}", programs.unwrap_or_default().display());
        Ok(())
    })
}

/// The folder that holds them: on the path, or where Debian has each release.
fn programs() -> Option<PathBuf> {
    let has = |folder: &PathBuf| ["initdb", "postgres", "pg_isready"].iter().all(|name| folder.join(name).is_file());
    let path = std::env::var_os("PATH").unwrap_or_default();
    let releases = Path::new("/usr/lib/postgresql").read_dir().into_iter().flatten().flatten();
    std::env::split_paths(&path).chain(releases.map(|release| release.path().join("bin"))).find(has)
}
