//! The inspector, which lists tools as a client does and says what clients can't read of their schemas.

use std::process::Output;

use conformance::clients;
use serde_json::{Value, json};

use super::serving::{self, Home};

/// What the inspector ends with where a schema is wrong.
const WRONG_SCHEMA: i32 = 6;

/// What it ends with where a tool's answer has failed.
const FAILED_ANSWER: i32 = 5;

/// Opens a connection with each way of a client to begin one.
const ERAS: [&str; 3] = ["legacy", "modern", "auto"];

fn inspect(home: &Home, arguments: &[&str]) -> Output {
    clients::npm("@modelcontextprotocol/inspector/clients/launcher/build/index.js")
        .arg("--cli")
        .args(arguments)
        .args(["--format", "json"])
        // What it keeps and reads stays in the test's own folder.
        .env("HOME", home.file(""))
        .env("MCP_INSPECTOR_SECRET_STORE", "memory")
        .output()
        .unwrap()
}

/// The settings of a client that starts the program by itself.
fn settings(home: &Home) -> String {
    let arguments = json!(["serve", "--stdio", "--actor", "ana", "--config", home.config()]);
    let settings = json!({ "mcpServers": { "notes": { "command": clients::program(), "args": arguments } } });
    let file = home.file("mcp.json");
    std::fs::write(&file, settings.to_string()).unwrap();
    file.to_string_lossy().into_owned()
}

fn said(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).trim().to_owned()
}

/// They go where errors do, beside what it says of itself.
fn findings(output: &Output) -> String {
    let said = said(&output.stderr);
    let findings: Vec<&str> = said.lines().filter(|line| !line.starts_with("[mcp-inspector]")).collect();
    findings.join("\n")
}

#[test]
fn it_finds_nothing_wrong_with_the_tools() {
    let home = Home::new();
    let settings = settings(&home);
    for era in ERAS {
        let of_server = ["--config", &settings, "--server", "notes", "--protocol-era", era];
        let output = inspect(&home, &[&of_server[..], &["--strict", "--method", "tools/list"]].concat());
        assert_eq!((output.status.code(), findings(&output)), (Some(0), String::new()), "{era}");
        let list: Value = serde_json::from_slice(&output.stdout).unwrap();
        assert_eq!(list["result"]["tools"][0]["name"], "delete_records", "{era}: {list}");

        let arguments = json!({ "objectName": "note", "where": {} }).to_string();
        let call = ["--method", "tools/call", "--tool-name", "delete_records", "--tool-args-json", &arguments];
        let output = inspect(&home, &[&of_server[..], &call].concat());
        let preview = said(&output.stdout);
        assert!(preview.contains("ACTION_CONFIRMATION_REQUIRED"), "{era}: {preview}{}", said(&output.stderr));
        assert_eq!((output.status.code(), home.left()), (Some(FAILED_ANSWER), 3), "{era}");
    }
}

#[test]
fn it_finds_what_is_wrong_with_the_fixture() {
    let home = Home::new();
    let url = serving::fixture();
    let output = inspect(&home, &["--server-url", &url, "--strict", "--method", "tools/list"]);
    let findings = findings(&output);
    assert!(findings.contains("test_any_values"), "{findings}");
    assert_eq!(output.status.code(), Some(WRONG_SCHEMA), "{findings}");
}
