//! Messages byte by byte: what a library would have changed or forgiven, over both transports.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::process::{self, Child, ChildStdin, Command};
use std::sync::mpsc::{Receiver, channel};
use std::time::Duration;

use serde_json::{Value, json};

use super::place::{Http, Place};

const PATIENCE: Duration = Duration::from_secs(30);

/// The newest revision's own members of a request.
pub fn meta(elicitation: Value) -> Value {
    json!({
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientInfo": { "name": "raw", "version": "1" },
        "io.modelcontextprotocol/clientCapabilities": { "elicitation": elicitation },
    })
}

/// An HTTP response.
#[derive(Debug)]
pub struct Response {
    pub status: u16,
    pub head: String,
    pub body: String,
}

impl Response {
    /// The last JSON-RPC message in it, be it an event stream or JSON.
    pub fn message(&self) -> Value {
        let mut events = self.body.lines().filter_map(|line| line.strip_prefix("data:")).map(str::trim);
        let text = events.rfind(|event| !event.is_empty()).unwrap_or(&self.body);
        serde_json::from_str(text).unwrap_or_else(|_| panic!("no message: {self:?}"))
    }

    /// The tool's answer in it.
    pub fn answer(&self) -> Value {
        let message = self.message();
        let text = message["result"]["content"][0]["text"].as_str().unwrap_or_else(|| panic!("no answer: {message}"));
        serde_json::from_str(text).unwrap()
    }
}

/// Sends a request whose headers and body are as given, and reads to the end. HTTP/1.0, so that nothing is chunked.
pub fn send(address: &str, method: &str, path: &str, headers: &[(&str, &str)], body: &[u8]) -> Response {
    let mut stream = TcpStream::connect(address).unwrap();
    stream.set_read_timeout(Some(PATIENCE)).unwrap();
    let mut head = format!("{method} {path} HTTP/1.0\r\nContent-Length: {}\r\n", body.len());
    if !headers.iter().any(|(name, _)| name.eq_ignore_ascii_case("host")) {
        head.push_str(&format!("Host: {address}\r\n"));
    }
    for (name, value) in headers {
        head.push_str(&format!("{name}: {value}\r\n"));
    }
    stream.write_all(format!("{head}\r\n").as_bytes()).unwrap();
    // A server that refuses by the head may close before it has read the body.
    let _ = stream.write_all(body);
    let mut bytes = Vec::new();
    stream.read_to_end(&mut bytes).unwrap();
    let text = String::from_utf8(bytes).unwrap();
    let (head, body) = text.split_once("\r\n\r\n").unwrap_or_else(|| panic!("no response: {text:?}"));
    let status = head.split(' ').nth(1).unwrap().parse().unwrap();
    Response { status, head: head.to_owned(), body: body.to_owned() }
}

/// Posts one message of the newest revision to `/mcp`.
pub fn post(server: &Http, token: &str, tool: &str, body: &[u8]) -> Response {
    let bearer = format!("Bearer {token}");
    let headers = [
        ("Authorization", bearer.as_str()),
        ("Content-Type", "application/json"),
        ("Accept", "application/json, text/event-stream"),
        ("MCP-Protocol-Version", "2026-07-28"),
        ("Mcp-Method", "tools/call"),
        ("Mcp-Name", tool),
    ];
    send(&server.address, "POST", "/mcp", &headers, body)
}

/// A call of `delete_records` as text, with `arguments` as they stand and more members of the params.
pub fn call(arguments: &str, more: &str, elicitation: Value) -> String {
    let meta = meta(elicitation);
    format!(
        r#"{{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{{"name":"delete_records","arguments":{arguments},"_meta":{meta}{more}}}}}"#
    )
}

/// A server over stdio that a test writes lines to.
pub struct Stdio {
    pub child: Child,
    pub input: Option<ChildStdin>,
    lines: Receiver<String>,
}

impl Stdio {
    pub fn start(place: &Place) -> Stdio {
        Stdio::with(place, &[])
    }

    pub fn with(place: &Place, environment: &[(&str, &str)]) -> Stdio {
        let command = place.stdio();
        let mut child = Command::new(&command[0])
            .args(&command[1..])
            .envs(environment.iter().copied())
            .stdin(process::Stdio::piped())
            .stdout(process::Stdio::piped())
            .stderr(process::Stdio::null())
            .spawn()
            .unwrap();
        let output = BufReader::new(child.stdout.take().unwrap());
        let (sender, lines) = channel();
        std::thread::spawn(move || output.lines().map_while(Result::ok).try_for_each(|line| sender.send(line)));
        let input = child.stdin.take();
        Stdio { child, input, lines }
    }

    /// Begins a session of an older revision.
    pub fn initialize(&mut self, version: &str, capabilities: Value) -> Value {
        let params = json!({ "protocolVersion": version, "capabilities": capabilities,
            "clientInfo": { "name": "raw", "version": "1" } });
        self.write(json!({ "jsonrpc": "2.0", "id": 0, "method": "initialize", "params": params }).to_string());
        let answer = self.read();
        self.write(r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#);
        answer
    }

    pub fn write(&mut self, line: impl AsRef<[u8]>) {
        let input = self.input.as_mut().unwrap();
        input.write_all(line.as_ref()).unwrap();
        input.write_all(b"\n").unwrap();
    }

    /// The next message; whatever is no JSON-RPC message on standard output fails the test.
    pub fn read(&self) -> Value {
        let line = self.lines.recv_timeout(PATIENCE).expect("the server says nothing");
        let message: Value = serde_json::from_str(&line).unwrap_or_else(|_| panic!("not a message: {line}"));
        assert_eq!(message["jsonrpc"], "2.0", "{line}");
        message
    }

    /// The response to this request, past whatever else is said before.
    pub fn response(&self, id: i64) -> Value {
        loop {
            let message = self.read();
            if message["id"] == id && message.get("method").is_none() {
                return message;
            }
        }
    }

    /// The rest of what it says, once it has ended.
    pub fn rest(self) -> Vec<Value> {
        self.lines.iter().map(|line| serde_json::from_str(&line).unwrap()).collect()
    }
}

/// Arguments that a library that keeps the last of two keys, or rounds, turns into another deletion; and what their
/// answer names.
const CHANGED: [(&str, &str); 6] = [
    (r#"{"objectName":"note","where":{"id":1},"where":{},"confirm":true}"#, r#""where""#),
    (r#"{"objectName":"note","where":{"id":1},"wh\u0065re":{},"confirm":true}"#, r#""where""#),
    (r#"{"objectName":"note","where":{"$or":[{"id":1,"id":2}]},"confirm":true}"#, r#""id""#),
    (r#"{"objectName":"note","recordIds":[9007199254740993.0],"confirm":true}"#, "recordIds[0]"),
    (r#"{"objectName":"note","where":{"id":{"$lt":1e2}},"confirm":true}"#, "where.id.$lt"),
    (r#"{"objectName":"note","where":{"title":"\ud800"},"confirm":true}"#, "surrogate"),
];

/// Messages that are refused before anything is called, and what the refusal names.
const REFUSED: [(&str, &str); 5] = [
    (
        r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"delete_records","arguments":{},"arguments":{"objectName":"note","where":{},"confirm":true}}}"#,
        r#""arguments""#,
    ),
    (
        r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{},"params":{"name":"delete_records","arguments":{"objectName":"note","where":{},"confirm":true}}}"#,
        r#""params""#,
    ),
    (r#"{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{"n":18446744073709551616}}"#, "18446744073709551616"),
    (r#"{"jsonrpc":"2.0","id":1,"method":"tools/list","#, "JSON"),
    (r#"[{"jsonrpc":"2.0","id":1,"method":"tools/list"}]"#, "list"),
];

#[test]
fn over_stdio_the_bytes_that_were_sent_are_the_bytes_that_are_judged() {
    let place = Place::new();
    let mut server = Stdio::start(&place);
    server.initialize("2025-11-25", json!({}));
    for (arguments, named) in CHANGED {
        server.write(call(arguments, "", json!({})).replace(&format!(",\"_meta\":{}", meta(json!({}))), ""));
        let text = server.response(1)["result"]["content"][0]["text"].to_string();
        let text: String = serde_json::from_str(&text).unwrap();
        let answer: Value = serde_json::from_str(&text).unwrap();
        let error = &answer["error"];
        assert!(["VALIDATION_FAILED", "INVALID_FILTER"].contains(&error["code"].as_str().unwrap()), "{text}");
        assert!(error["message"].as_str().unwrap().contains(named), "{arguments}: {error}");
    }
    for (message, named) in REFUSED {
        server.write(message);
        let error = server.read()["error"].clone();
        assert!(error["message"].as_str().unwrap().contains(named), "{message}: {error}");
    }
    // What is too long, or nothing, is passed over to the end of its line.
    server.write(vec![b'x'; 3 << 20]);
    assert!(server.read()["error"]["message"].as_str().unwrap().contains("bytes"));
    server.write("");
    server.write(r#"{"jsonrpc":"2.0","id":2,"method":"ping"}"#);
    assert!(server.response(2)["result"].is_object());
    assert_eq!(place.gone("note"), 0);
}

#[test]
fn over_http_the_bytes_that_were_sent_are_the_bytes_that_are_judged() {
    let place = Place::new();
    let (server, token) = (place.http(), place.token("ana", "data:read data:write"));
    for (arguments, named) in CHANGED {
        let response = post(&server, &token, "delete_records", call(arguments, "", json!({})).as_bytes());
        assert_eq!(response.status, 200, "{response:?}");
        let error = response.answer()["error"].clone();
        assert!(["VALIDATION_FAILED", "INVALID_FILTER"].contains(&error["code"].as_str().unwrap()), "{error}");
        assert!(error["message"].as_str().unwrap().contains(named), "{arguments}: {error}");
    }
    for (message, named) in REFUSED {
        let response = post(&server, &token, "delete_records", message.as_bytes());
        assert_eq!(response.status, 400, "{message}");
        let error = response.message()["error"].clone();
        assert!(error["message"].as_str().unwrap().contains(named), "{message}: {error}");
    }
    assert_eq!(post(&server, &token, "delete_records", &vec![b' '; 3 << 20]).status, 413);
    assert_eq!(post(&server, &token, "delete_records", b"{\"id\":1,\"method\":\"\xff\"}").status, 400);
    assert_eq!(place.gone("note"), 0);
    // The same door lets in what is right.
    let right = call(r#"{ "objectName": "note", "recordIds": [1], "confirm": true }"#, "", json!({}));
    assert_eq!(post(&server, &token, "delete_records", right.as_bytes()).answer()["deleted"], 1);
    assert_eq!(place.gone("note"), 1);
}
