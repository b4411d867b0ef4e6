//! Answers for people: the same content as the JSON, a line for each thing that matters.

use delete_records::text::{count, label, quote, sentence};
use serde_json::Value;

/// Records of one list that are named.
const NAMED: usize = 10;

/// A preview: what would go, and what it would take along.
pub fn preview(preview: &Value) -> String {
    let attempt = preview["wouldAttempt"].as_u64().unwrap_or_default();
    let object = quote(preview["object"].as_str().unwrap_or_default(), NAME);
    let target = &preview["target"];
    let mut lines = vec![format!(
        "{} of {object} on {} [{}]{}",
        count(attempt, "record"),
        quote(target["name"].as_str().unwrap_or_default(), NAME),
        label(target["environment"].as_str().unwrap_or_default()),
        beyond(preview, attempt),
    )];
    let samples = preview["sampleRecords"].as_array().map_or(&[][..], Vec::as_slice);
    for sample in samples {
        let name = sample["label"].as_str().map(|text| format!("  {}", label(text))).unwrap_or_default();
        lines.push(format!("  {}{name}", id(&sample["id"])));
    }
    if attempt > samples.len() as u64 {
        lines.push(format!("  and {} more", attempt - samples.len() as u64));
    }
    for entry in preview["dependents"].as_array().into_iter().flatten() {
        let what = match entry["effect"].as_str() {
            Some("cascade") => "will go with them",
            Some("restrict") => "may stand in the way",
            _ => "will lose their link",
        };
        let object = quote(entry["object"].as_str().unwrap_or_default(), NAME);
        lines.push(format!("  {} of {object} {what}", entry["count"]));
    }
    lines.extend(ids("not found", &preview["notFound"]));
    lines.join("\n")
}

/// An answer: what went, and why the rest did not.
pub fn answer(answer: &Value) -> String {
    let body = answer.get("progress").unwrap_or(answer);
    let mut lines = Vec::new();
    if let Some(error) = answer.get("error") {
        lines.push(format!("{}: {}", text(&error["code"]), text(&error["message"])));
    }
    if let Some(deleted) = body["deleted"].as_u64() {
        let attempted = body["attempted"].as_u64().unwrap_or_default();
        lines.push(format!("Deleted {deleted} of {}.", count(attempted, "record")));
    }
    for group in body["refusals"].as_array().into_iter().flatten() {
        let retry = if group["retryable"] == true { " (may be tried again)" } else { "" };
        lines.push(format!(
            "  {} refused: {} — {}{retry}",
            group["count"],
            text(&group["code"]),
            text(&group["reason"])
        ));
        lines.extend(ids("  ids", &group["recordIds"]));
    }
    lines.extend(ids("kept by the database", &body["notRemoved"]));
    lines.extend(ids("not found", &body["notFound"]));
    for warning in body["warnings"].as_array().into_iter().flatten() {
        lines.push(format!("  warning: {}", text(warning)));
    }
    if let Some(failed) = answer["error"]["details"].get("failedRecordId") {
        lines.push(format!("  {} may or may not be gone.", id(failed)));
    }
    if let Some(left) = body["notAttempted"].as_u64().filter(|left| *left > 0) {
        lines.push(format!("  {} not attempted.", count(left, "record")));
    }
    lines.join("\n")
}

/// Characters of a name in a line.
const NAME: usize = 100;

fn beyond(preview: &Value, attempt: u64) -> String {
    match (preview["matched"].as_u64(), preview["matchedMoreThan"].as_u64()) {
        (Some(matched), _) if matched > attempt => format!(" (the first of {matched} that match)"),
        (_, Some(matched)) => format!(" (the first of more than {matched} that match)"),
        _ if preview["everyRecord"] == true => " (every record)".to_owned(),
        _ => String::new(),
    }
}

fn ids(what: &str, list: &Value) -> Option<String> {
    let list = list.as_array().filter(|list| !list.is_empty())?;
    let shown: Vec<String> = list.iter().take(NAMED).map(id).collect();
    let more = list.len() - shown.len();
    let more = if more > 0 { format!(" and {more} more") } else { String::new() };
    Some(format!("  {what}: {}{more}", shown.join(", ")))
}

/// An id on one line, and with nothing in it that a terminal would act on.
fn id(id: &Value) -> String {
    match id {
        Value::String(text) => label(text),
        other => label(&other.to_string()),
    }
}

fn text(value: &Value) -> String {
    sentence(value.as_str().unwrap_or_default())
}
