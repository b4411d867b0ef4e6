//! The pages of `docs/` about the tools: their exchanges are real, and their tables are the tools' own schemas. `BLESS=1`
//! writes both into the pages.
//!
//! A page begins with `<!-- {"fixture": …, "actor": …, "settings": …} -->`. A block ```` ```json TOOL ```` is a call, with
//! `typed=…` behind the tool where a person answers; the block behind it is what comes of it. Between `<!-- arguments -->`
//! and `<!-- end -->` stands what the tool takes.

use std::path::{Path, PathBuf};

use conformance::case::Body;
use conformance::host::Host;
use conformance::{pretty, run, settings};
use delete_records::list_tools;
use deletegate::tools::Scopes;
use serde_json::{Value as Json, json};

fn pages() -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs");
    ["delete_records", "delete_record", "delete_events", "list_objects"]
        .map(|tool| folder.join(tool).with_extension("md"))
        .to_vec()
}

#[test]
fn exchanges_and_tables_are_what_the_tools_say() {
    let bless = std::env::var_os("BLESS").is_some_and(|value| value == "1");
    for path in pages() {
        let page = std::fs::read_to_string(&path).unwrap();
        let tool = path.file_stem().unwrap().to_string_lossy().into_owned();
        let made = with_exchanges(&with_arguments(&page, &tool));
        if bless {
            std::fs::write(&path, &made).unwrap();
        }
        assert_eq!(std::fs::read_to_string(&path).unwrap(), made, "{} is stale; BLESS=1 writes it", path.display());
        assert!(made.matches("\n```json answer\n").count() > 0, "{} shows an exchange", path.display());
    }
}

fn with_arguments(page: &str, tool: &str) -> String {
    let logs = json!([{ "object": "event", "scope": "stream", "time": "at" }]);
    let all = ["delete_records", "delete_record", "delete_events", "list_objects"];
    let settings = settings::read(json!({ "tools": all, "event_logs": logs })).unwrap();
    let tools = list_tools(&settings, Scopes::DATA_READ | Scopes::DATA_WRITE);
    let schema = &tools.iter().find(|known| known.name == tool).unwrap().input_schema;
    let schema: Json = serde_json::from_str(schema).unwrap();
    let mut table = String::from("| argument | takes | means |\n| --- | --- | --- |\n");
    for (name, argument) in schema["properties"].as_object().unwrap() {
        let takes = match (argument["type"].as_str(), &argument["format"]) {
            (Some("array"), _) if argument["items"]["type"] == "string" => "a list of texts",
            (Some("array"), _) => "a list of ids",
            (Some("string"), Json::String(_)) => "an instant",
            (Some("string"), _) => "a text",
            (Some("boolean"), _) => "`true` or `false`",
            (Some("object"), _) => "an object",
            _ => "a text, an integer or an object",
        };
        let needed = schema["required"].as_array().unwrap().iter().any(|required| required == name.as_str());
        let needed = if needed { " Needed." } else { "" };
        table.push_str(&format!("| `{name}` | {takes} | {}{needed} |\n", argument["description"].as_str().unwrap()));
    }
    let (before, rest) = page.split_once("<!-- arguments -->\n").unwrap();
    let (_, after) = rest.split_once("<!-- end -->\n").unwrap();
    format!("{before}<!-- arguments -->\n{table}<!-- end -->\n{after}")
}

fn with_exchanges(page: &str) -> String {
    let head = page.lines().next().unwrap().trim_start_matches("<!--").trim_end_matches("-->");
    let head: Json = serde_json::from_str(head).unwrap();
    let mut calls = Vec::new();
    let mut parts: Vec<&str> = page.split("```").collect();
    for part in parts.iter().skip(1).step_by(2) {
        if let Some(call) = call(part) {
            calls.push(call);
        }
    }
    let body: Body = serde_json::from_value(json!({
        "about": "", "fixture": head["fixture"], "settings": head["settings"],
        "caller": { "actor": head["actor"] }, "calls": calls,
    }))
    .unwrap();
    let mut seen = run::make(&body, &Host::native()).unwrap().seen.into_iter();
    let mut blocks = Vec::new();
    let mut answers = false;
    for part in parts.iter_mut().skip(1).step_by(2) {
        let is_call = call(part).is_some();
        let mut block = (*part).to_owned();
        if answers {
            assert!(
                part.starts_with("json answer\n") || part.starts_with("json question\n"),
                "what comes of a call: {part}"
            );
            let one = seen.next().unwrap();
            let word = if one.outcome == "asks" { "question" } else { "answer" };
            let json: Json = serde_json::from_str(&run::mask(&one.text)).unwrap();
            block = format!("json {word}\n{}", pretty::file(&json));
        }
        answers = is_call;
        blocks.push(block);
    }
    let mut made = parts[0].to_owned();
    for (at, block) in blocks.iter().enumerate() {
        made.push_str(&format!("```{block}```{}", parts.get(2 * at + 2).unwrap_or(&"")));
    }
    made
}

/// The call that a block is, if it is one.
fn call(block: &str) -> Option<Json> {
    let (info, body) = block.split_once('\n')?;
    let words = info.strip_prefix("json ")?;
    let (tool, typed) = words.split_once(" typed=").map_or((words, None), |(tool, typed)| (tool, Some(typed)));
    if ["answer", "question"].contains(&tool) {
        return None;
    }
    let mut arguments: Json = serde_json::from_str(body).unwrap_or_else(|error| panic!("{error}: {body}"));
    if arguments["previewDigest"] == "sha256:…" {
        arguments["previewDigest"] = "$last".into();
    }
    let mut call = json!({ "tool": tool, "arguments": arguments, "expect": { "outcome": "answered" } });
    if let Some(typed) = typed {
        call["approval"] = json!({ "action": "accept", "typed": typed });
    }
    Some(call)
}
