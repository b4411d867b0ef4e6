//! The real clients, driven by lines (`tests/clients`).

use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::Duration;

use conformance::clients::{folder, program};
use serde_json::{Value, json};

/// A client that says nothing for so long hangs.
const PATIENCE: Duration = Duration::from_secs(60);

/// A client's package.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Package {
    Python,
    Npm,
}

/// A client process with an open connection.
pub struct Client {
    child: Child,
    input: Option<ChildStdin>,
    lines: Receiver<String>,
    /// The revision that was agreed.
    pub version: String,
}

impl Client {
    /// Opens a connection as `opening` says; `client.py` describes it.
    pub fn open(package: Package, opening: &Value) -> Client {
        let folder = folder();
        let (program, script, needed) = match package {
            Package::Python => (python(), "client.py", python()),
            Package::Npm => ("node".into(), "client.mjs", folder.join("node_modules/@modelcontextprotocol/client")),
        };
        assert!(needed.exists(), "{package:?}'s client is not installed: `cargo xtask test` installs it");
        let mut child = Command::new(program)
            .arg(folder.join(script))
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let (sender, lines) = channel();
        let output = BufReader::new(child.stdout.take().unwrap());
        std::thread::spawn(move || output.lines().map_while(Result::ok).try_for_each(|line| sender.send(line)));
        let input = child.stdin.take();
        let mut client = Client { child, input, lines, version: String::new() };
        client.version = client.ask(opening)["version"].as_str().unwrap().to_owned();
        client
    }

    /// One request, and what the client made of it.
    pub fn ask(&mut self, request: &Value) -> Value {
        writeln!(self.input.as_mut().unwrap(), "{request}").unwrap();
        let line = self.lines.recv_timeout(PATIENCE).unwrap_or_else(|_| panic!("no answer to {request}"));
        serde_json::from_str(&line).unwrap()
    }

    /// A call of `delete_records`, and the person's answer.
    pub fn delete(&mut self, arguments: Value, answer: Value) -> Told {
        self.call(json!({ "call": { "name": "delete_records", "arguments": arguments }, "answer": answer }))
    }

    /// A call as the driver takes it.
    pub fn call(&mut self, request: Value) -> Told {
        Told(self.ask(&request))
    }
}

impl Drop for Client {
    fn drop(&mut self) {
        // The end of its input closes the session.
        self.input = None;
        let _ = self.child.wait();
    }
}

/// What a client tells of a call.
#[derive(Debug)]
pub struct Told(pub Value);

impl Told {
    /// The tool's answer, as text.
    pub fn answer(&self) -> Value {
        let text = self.0["result"]["content"][0]["text"].as_str().unwrap_or_else(|| panic!("no answer: {self:?}"));
        serde_json::from_str(text).unwrap()
    }

    /// The code of a failed answer, which has no structured content.
    pub fn code(&self) -> String {
        assert_eq!(self.0["result"]["isError"], true, "{self:?}");
        assert!(self.0["result"].get("structuredContent").is_none(), "{self:?}");
        self.answer()["error"]["code"].as_str().unwrap().to_owned()
    }

    /// How many records went, by an answer whose two forms say the same.
    pub fn deleted(&self) -> u64 {
        assert_ne!(self.0["result"]["isError"], true, "{self:?}");
        assert_eq!(self.0["result"]["structuredContent"], self.answer());
        self.answer()["deleted"].as_u64().unwrap()
    }

    /// The questions that the person was asked.
    pub fn asked(&self) -> Vec<String> {
        let asked = self.0["asked"].as_array().unwrap();
        asked.iter().map(|question| question["message"].as_str().unwrap().to_owned()).collect()
    }
}

/// Where `cargo xtask test` puts Python's client.
fn python() -> PathBuf {
    let program = program();
    let target = program.parent().and_then(Path::parent).unwrap();
    target.join("clients/python/bin/python")
}
