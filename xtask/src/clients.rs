//! The real MCP clients that the tests run as processes, at the versions that `tests/clients` pins.

use std::path::Path;

use anyhow::Result;

use crate::{install, run};

/// Where the versions stand, from the workspace's folder.
const FOLDER: &str = "tests/clients";

/// The environment of Python's client, from the folder that cargo builds in.
const PYTHON: &str = "clients/python";

/// Installs npm's and Python's clients, where what is pinned has changed since.
pub fn install(root: &Path) -> Result<()> {
    let folder = root.join(FOLDER);
    run::step("install the MCP clients of npm", || install::npm(&folder))?;
    run::step("install the MCP client of Python", || {
        let environment = run::target_folder(root)?.join(PYTHON);
        install::python(&environment, &folder, "requirements.txt", &["-r", "requirements.txt"])
    })
}
