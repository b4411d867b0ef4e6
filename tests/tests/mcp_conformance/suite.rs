//! One run of the conformance suite, as a process that writes what it found.

use std::fmt;

use conformance::clients;
use serde::Deserialize;

/// What one run found.
pub struct Run {
    /// The revision that was spoken; each scenario's own where there is none.
    pub revision: Option<String>,
    /// The scenarios that there are for it.
    pub scenarios: Vec<Scenario>,
}

/// What was found in one scenario.
pub struct Scenario {
    pub name: String,
    pub checks: Vec<Check>,
}

/// One thing that was looked at.
#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Check {
    pub id: String,
    pub status: Status,
    #[serde(default)]
    pub error_message: Option<String>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "UPPERCASE")]
pub enum Status {
    Success,
    Info,
    Warning,
    Skipped,
    Failure,
}

impl fmt::Display for Run {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.revision.as_deref().unwrap_or("any revision"))
    }
}

/// Runs every scenario against a server.
pub fn run(url: &str, revision: Option<&str>, token: Option<&str>) -> Run {
    let found = tempfile::tempdir().unwrap();
    let mut command = clients::npm("@modelcontextprotocol/conformance/dist/index.js");
    command.args(["server", "--url", url, "--suite", "all", "--output-dir"]).arg(found.path());
    if let Some(revision) = revision {
        command.args(["--spec-version", revision]);
    }
    if let Some(token) = token {
        let preload = format!("--import={}", clients::folder().join("with-token.mjs").display());
        command.env("NODE_OPTIONS", preload).env("TOKEN", token);
    }
    let output = command.output().unwrap();
    let said = String::from_utf8_lossy(&output.stdout);
    let scenarios: Vec<Scenario> =
        std::fs::read_dir(found.path()).unwrap().map(|entry| read(&entry.unwrap())).collect();
    // A scenario that broke off has left nothing.
    let begun = said.matches("=== Running scenario: ").count();
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(begun > 0 && begun == scenarios.len(), "{begun} begun, {} found\n{said}\n{errors}", scenarios.len());
    Run { revision: revision.map(str::to_owned), scenarios }
}

/// `server-<scenario>-<time>/checks.json`
fn read(folder: &std::fs::DirEntry) -> Scenario {
    const TIME: usize = "-2026-07-28T00-00-00-000Z".len();
    let name = folder.file_name().into_string().unwrap();
    let name = name.strip_prefix("server-").and_then(|name| name.get(..name.len().checked_sub(TIME)?)).unwrap();
    let checks = std::fs::read(folder.path().join("checks.json")).unwrap();
    Scenario { name: name.to_owned(), checks: serde_json::from_slice(&checks).unwrap() }
}
