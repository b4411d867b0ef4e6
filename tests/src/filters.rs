//! The two filter tables of `fixtures/filters.json`: what the grammar means, on every host.

use anyhow::{Context, ensure};
use serde::Deserialize;
use serde_json::{Map, Value as Json, json};

use crate::case::Body;
use crate::host::Host;
use crate::run;

/// One filter and the ids that it matches; none where it is refused.
#[derive(Clone, Debug)]
pub struct Filter {
    /// `logic::3` or `text::refused::0`.
    pub name: String,
    table: String,
    filter: Json,
    ids: Option<Vec<i64>>,
}

#[derive(Deserialize)]
struct Table {
    matches: Vec<Match>,
    #[serde(default)]
    refused_as_every_record: Vec<Json>,
}

#[derive(Deserialize)]
struct Match {
    #[serde(rename = "where")]
    filter: Json,
    ids: Vec<i64>,
}

/// Every filter of both tables.
pub fn all() -> anyhow::Result<Vec<Filter>> {
    let text = std::fs::read_to_string(crate::root().join("filter-tables.json"))?;
    let tables: Map<String, Json> = serde_json::from_str(&text)?;
    let mut all = Vec::new();
    for (table, content) in tables {
        let content: Table = serde_json::from_value(content)?;
        let named = |kind: &str, at: usize| format!("{table}::{kind}{at:02}");
        for (at, row) in content.matches.into_iter().enumerate() {
            let (name, table) = (named("", at), table.clone());
            all.push(Filter { name, table, filter: row.filter, ids: Some(row.ids) });
        }
        for (at, filter) in content.refused_as_every_record.into_iter().enumerate() {
            all.push(Filter { name: named("refused_", at), table: table.clone(), filter, ids: None });
        }
    }
    Ok(all)
}

/// A preview shows just those ids, and a confirmed call deletes just those.
pub fn check(filter: &Filter, host: &Host) -> anyhow::Result<()> {
    let arguments = |confirm: bool| {
        let mut arguments = json!({ "objectName": filter.table, "where": filter.filter });
        if confirm {
            arguments["confirm"] = json!(true);
        }
        json!({ "arguments": arguments, "expect": { "outcome": "answered" } })
    };
    let body: Body = serde_json::from_value(json!({
        "about": "What the grammar means (contract 5).",
        "fixture": "filters",
        "caller": { "actor": "ana" },
        "calls": [arguments(false), arguments(true)],
    }))?;
    let run = run::make(&body, host)?;
    let [preview, delete] = &run.seen[..] else { anyhow::bail!("two calls have two outcomes") };
    let code = |seen: &run::Seen| seen.json.pointer("/error/code").cloned().unwrap_or_default();
    let [first, last] = &run.left;
    let (first, last) = (first[&filter.table].as_array(), last[&filter.table].as_array());
    let (first, last) = first.zip(last).context("ids are a list")?;
    let gone: Vec<&Json> = first.iter().filter(|id| !last.contains(id)).collect();
    let Some(ids) = &filter.ids else {
        ensure!(code(preview) == "INVALID_FILTER", "the preview said {}", preview.text);
        ensure!(code(delete) == "INVALID_FILTER", "the call said {}", delete.text);
        ensure!(gone.is_empty(), "{gone:?} went");
        return Ok(());
    };
    let wanted: Vec<Json> = ids.iter().map(|id| json!(id.to_string())).collect();
    ensure!(code(preview) == "ACTION_CONFIRMATION_REQUIRED", "the preview said {}", preview.text);
    let shown = preview.json.pointer("/preview/sampleRecordIds").cloned().unwrap_or_default();
    ensure!(shown == json!(wanted), "the preview shows {shown}, not {wanted:?}");
    ensure!(delete.json["deleted"] == json!(ids.len()), "the call said {}", delete.text);
    ensure!(gone == wanted.iter().collect::<Vec<_>>(), "{gone:?} went, not {wanted:?}");
    Ok(())
}
