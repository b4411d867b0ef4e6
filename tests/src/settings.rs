//! Settings as data.

use anyhow::bail;
use deletegate::tools::{self, Consent, EventLog, ObjectRule, Target, ToolSet};
use serde::Deserialize;
use serde_json::Value as Json;

#[derive(Deserialize)]
#[serde(deny_unknown_fields, default)]
struct Settings {
    target: Where,
    tools: Vec<String>,
    objects: Vec<String>,
    default_rule: Rule,
    rules: Vec<Rule>,
    event_logs: Vec<Log>,
    system_objects: Vec<String>,
    hand_off: Option<String>,
}

impl Default for Settings {
    fn default() -> Self {
        let texts = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect();
        Settings {
            target: Where::default(),
            tools: texts(&["delete_records"]),
            objects: Vec::new(),
            default_rule: Rule::default(),
            rules: Vec::new(),
            event_logs: Vec::new(),
            system_objects: texts(&["sys_*", "sqlite_*", "pg_*", "information_schema.*"]),
            hand_off: None,
        }
    }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields, default)]
struct Where {
    name: String,
    environment: String,
    production: bool,
}

impl Default for Where {
    fn default() -> Self {
        Where { name: "local".into(), environment: "dev".into(), production: false }
    }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields, default)]
struct Rule {
    object: String,
    consent: String,
    cap: u32,
    scope: Vec<String>,
    unfiltered: bool,
}

impl Default for Rule {
    fn default() -> Self {
        Rule { object: String::new(), consent: "attest".into(), cap: 200, scope: Vec::new(), unfiltered: true }
    }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Log {
    name: Option<String>,
    object: String,
    scope: String,
    time: String,
    kind: Option<String>,
    subject: Option<String>,
    tags: Option<String>,
}

/// Reads settings; what is not there is as by default outside production.
pub fn read(json: Json) -> anyhow::Result<tools::Settings> {
    let data: Settings = serde_json::from_value(json)?;
    let tool = |set: ToolSet, name: &String| match name.as_str() {
        "delete_records" => Ok(set | ToolSet::DELETE_RECORDS),
        "delete_record" => Ok(set | ToolSet::DELETE_RECORD),
        "delete_events" => Ok(set | ToolSet::DELETE_EVENTS),
        "list_objects" => Ok(set | ToolSet::LIST_OBJECTS),
        _ => bail!("no tool is called {name:?}"),
    };
    Ok(tools::Settings {
        target: Target {
            name: data.target.name,
            environment: data.target.environment,
            production: data.target.production,
        },
        tools: data.tools.iter().try_fold(ToolSet::empty(), tool)?,
        objects: data.objects,
        default_rule: rule(data.default_rule)?,
        rules: data.rules.into_iter().map(rule).collect::<Result<_, _>>()?,
        event_logs: data.event_logs.into_iter().map(log).collect(),
        system_objects: data.system_objects,
        hand_off: data.hand_off,
    })
}

fn rule(data: Rule) -> anyhow::Result<ObjectRule> {
    let consent = match data.consent.as_str() {
        "none" => Consent::None,
        "attest" => Consent::Attest,
        "accept" => Consent::Accept,
        "typed" => Consent::Typed,
        other => bail!("no consent is called {other:?}"),
    };
    Ok(ObjectRule { object: data.object, consent, cap: data.cap, scope: data.scope, unfiltered: data.unfiltered })
}

fn log(data: Log) -> EventLog {
    EventLog {
        name: data.name.unwrap_or_else(|| data.object.clone()),
        object: data.object,
        scope: data.scope,
        time: data.time,
        kind: data.kind,
        subject: data.subject,
        tags: data.tags,
    }
}
