//! `deletegate explain`: what a caller may do with an object, and why.

use anyhow::{Result, anyhow};
use delete_records::id;
use delete_records::text::{count, quote};
use deletegate::bridge::{Count, Dependents, Effect, Failure, Field, Identity, Principal, Selection, Verbs};
use deletegate::config::{Config, ObjectConfig, type_name};
use deletegate::tools::{Consent, ObjectRule, ToolSet};
use serde_json::{Value, json};

use super::Ended;
use super::access::{Access, Session};

/// Say what a caller may do with an object, and why: its names, key and fields, what a deletion takes, which records
/// they see, and what would go along. Reads, and deletes nothing.
#[derive(clap::Args)]
pub struct Args {
    /// The object, by the name that tools use or by the database's own.
    object: String,
    /// Print it as JSON.
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    access: Access,
}

/// Runs the command.
pub fn run(args: &Args) -> Result<Ended> {
    let config = args.access.configuration()?;
    let session = args.access.open()?;
    let names = config.names();
    let own = names.own_object(&args.object).unwrap_or(&args.object).to_owned();
    let public = names.object(&own).to_owned();
    let said = match why_not(&config, &own) {
        Some(why) => json!({ "object": public, "table": own, "may": [], "why": why }),
        None => said(&session, &config, &own, &public)?,
    };
    if args.json {
        println!("{}", serde_json::to_string_pretty(&said)?);
    } else {
        print(&said);
    }
    Ok(Ended::Well)
}

/// Why no tool is offered the object, whoever calls.
fn why_not(config: &Config, own: &str) -> Option<String> {
    if config.is_system_object(own) {
        return Some("`system-objects` keeps every tool from it".to_owned());
    }
    if config.objects.get(own).is_some_and(|object| object.exclude) {
        return Some(format!("[objects.{own}] excludes it"));
    }
    if !config.names().offers(own) {
        return Some("`allow` does not name it".to_owned());
    }
    None
}

fn said(session: &Session, config: &Config, own: &str, public: &str) -> Result<Value> {
    let principal = session.ask(|mut bridge| async move { bridge.resolve_principal(public).await }).map_err(failed)?;
    let caller = caller(&principal);
    let Some(access) = principal.access else {
        let why = match principal.identity {
            Identity::Anonymous => "nobody known is calling: give --actor, or --system",
            _ => "the database has no such table whose records a key tells apart",
        };
        return Ok(json!({ "object": public, "table": own, "caller": caller, "may": [], "why": why }));
    };
    let object = config.objects.get(own).cloned().unwrap_or_default();
    let rule =
        session.settings.rules.iter().find(|rule| rule.object == public).unwrap_or(&session.settings.default_rule);
    let mut may = Vec::new();
    may.extend((access.verbs.contains(Verbs::LIST)).then_some("list"));
    may.extend((access.verbs.contains(Verbs::REMOVE)).then_some("remove"));
    let fields = |fields: &[Field]| -> Vec<Value> {
        fields
            .iter()
            .map(|field| json!({ "name": field.name, "type": type_name(field.type_), "nullable": field.nullable }))
            .collect()
    };
    let logs: Vec<&str> =
        session.settings.event_logs.iter().filter(|log| log.object == public).map(|log| log.name.as_str()).collect();
    Ok(json!({
        "object": public,
        "table": own,
        "caller": caller,
        "narrowing": principal.narrowing,
        "may": may,
        "key": fields(&access.key),
        "fields": fields(&access.fields),
        "tools": tools(session.settings.tools, &logs),
        "logs": logs,
        "consent": consent(rule.consent),
        "consentWhy": consent_why(config, own, &object),
        "cap": rule.cap,
        "scope": rule.scope,
        "unfiltered": rule.unfiltered,
        "visible": shown(&object.visible, session),
        "removable": shown(&object.removable, session),
        "reversible": access.reversible,
        "records": records(session, public, rule, &access.key)?,
    }))
}

/// How many records this caller sees, and what the first of them would take along.
fn records(session: &Session, public: &str, rule: &ObjectRule, key: &[Field]) -> Result<Value> {
    let totals = session.ask(|mut bridge| async move { bridge.aggregate(public, &Selection::Every).await });
    let visible = match totals.map(|totals| totals.count) {
        Ok(Count::Exact(count)) => json!(count),
        Ok(Count::AtLeast(count)) => json!(format!("at least {count}")),
        Err(Failure::Unsupported) => Value::Null,
        Err(failure) => return Err(failed(failure)),
    };
    let cap = rule.cap;
    let page = session
        .ask(|mut bridge| async move { bridge.query(public, &Selection::Every, None, cap).await })
        .map_err(failed)?;
    let ids: Vec<_> = page.rows.iter().map(|row| row.id.clone()).collect();
    let first: Vec<Value> =
        ids.iter().take(3).filter_map(|id| serde_json::from_str(&id::show(key, id).write()).ok()).collect();
    let mut dependents = Some(Vec::new());
    if !ids.is_empty() {
        let selection = Selection::Ids(ids.clone());
        dependents = match session.ask(|mut bridge| async move { bridge.aggregate(public, &selection).await }) {
            Ok(totals) => totals.dependents,
            Err(Failure::Unsupported) => None,
            Err(failure) => return Err(failed(failure)),
        };
    }
    let dependents = dependents.map(|dependents| dependents.iter().map(dependent).collect::<Vec<_>>());
    Ok(json!({ "visible": visible, "firstIds": first, "lookedAt": ids.len(), "dependents": dependents }))
}

fn dependent(entry: &Dependents) -> Value {
    let effect = match entry.effect {
        Effect::Cascade => "cascade",
        Effect::Restrict => "restrict",
        Effect::Detach => "detach",
    };
    json!({ "object": entry.object, "count": entry.count, "effect": effect })
}

fn caller(principal: &Principal) -> String {
    match &principal.identity {
        Identity::User(actor) => format!("user {}", quote(&actor.id, 100)),
        Identity::System => "the system".to_owned(),
        Identity::Anonymous => "nobody".to_owned(),
    }
}

fn tools(on: ToolSet, logs: &[&str]) -> Vec<&'static str> {
    [
        (ToolSet::DELETE_RECORDS, "delete_records", true),
        (ToolSet::DELETE_RECORD, "delete_record", true),
        (ToolSet::DELETE_EVENTS, "delete_events", !logs.is_empty()),
    ]
    .into_iter()
    .filter(|(set, _, serves)| on.contains(*set) && *serves)
    .map(|(_, name, _)| name)
    .collect()
}

fn consent(consent: Consent) -> &'static str {
    match consent {
        Consent::None => "none",
        Consent::Attest => "attest",
        Consent::Accept => "accept",
        Consent::Typed => "typed",
    }
}

fn consent_why(config: &Config, own: &str, object: &ObjectConfig) -> String {
    match (object.consent, config.target.production) {
        (Some(_), _) => format!("[objects.{own}] says so"),
        (None, true) => "the default in production".to_owned(),
        (None, false) => "the default outside production".to_owned(),
    }
}

/// A predicate, as it holds for this caller.
fn shown(predicate: &Option<String>, session: &Session) -> Value {
    match predicate {
        None => json!("all that the database itself lets through"),
        Some(_) if session.caller.actor().is_none() => json!("all: the system passes every predicate"),
        Some(predicate) => json!(predicate),
    }
}

fn failed(failure: Failure) -> anyhow::Error {
    match failure {
        Failure::Refused(refusal) => anyhow!("{}: {}", refusal.code, refusal.reason),
        Failure::Faulted(sentence) => anyhow!(sentence),
        other => anyhow!("{other:?}"),
    }
}

/// For people: a line for each thing that matters.
fn print(said: &Value) {
    let text = |name: &str| said[name].as_str().unwrap_or_default().to_owned();
    let list = |name: &str| -> Vec<String> {
        said[name].as_array().into_iter().flatten().filter_map(Value::as_str).map(str::to_owned).collect()
    };
    let table = if said["table"] == said["object"] {
        String::new()
    } else {
        format!(" (the table {})", quote(&text("table"), 100))
    };
    let caller = said["caller"].as_str().map(|caller| format!(", for {caller}")).unwrap_or_default();
    println!("{}{table}{caller}", quote(&text("object"), 100));
    let line = |name: &str, what: String| println!("  {name:<10} {what}");
    if !said["why"].is_null() {
        line("may", format!("nothing: {}", text("why")));
        return;
    }
    line("may", if list("may").is_empty() { "nothing".to_owned() } else { list("may").join(", ") });
    let fields = |name: &str| {
        let field = |field: &Value| {
            let null = if field["nullable"] == true { " or null" } else { "" };
            format!(
                "{} ({}{null})",
                field["name"].as_str().unwrap_or_default(),
                field["type"].as_str().unwrap_or_default()
            )
        };
        said[name].as_array().into_iter().flatten().map(field).collect::<Vec<_>>().join(", ")
    };
    line("key", fields("key"));
    line("fields", fields("fields"));
    line("tools", list("tools").join(", "));
    if !list("logs").is_empty() {
        line("logs", list("logs").join(", "));
    }
    line("consent", format!("{}: {}", text("consent"), text("consentWhy")));
    line("at most", format!("{} a call", count(said["cap"].as_u64().unwrap_or_default(), "record")));
    if !list("scope").is_empty() {
        line("scope", format!("a filter must pin {}", list("scope").join(", ")));
    }
    let every = if said["unfiltered"] == true { "may mean every record" } else { "is refused" };
    line("where {}", every.to_owned());
    line("sees", text("visible"));
    line("removes", text("removable"));
    line("undo", if said["reversible"] == true { "the engine can restore" } else { "none" }.to_owned());
    let records = &said["records"];
    line("now", format!("{} visible", records["visible"]));
    let looked = records["lookedAt"].as_u64().unwrap_or_default();
    match records["dependents"].as_array() {
        None => line("along", "the engine can't tell what depends on a record".to_owned()),
        Some(dependents) if dependents.is_empty() => {
            line("along", format!("nothing that you see depends on the first {looked}"))
        }
        Some(dependents) => {
            for entry in dependents {
                let effect = match entry["effect"].as_str() {
                    Some("cascade") => "go with",
                    Some("restrict") => "may stand in the way of",
                    _ => "lose their link to",
                };
                let object = quote(entry["object"].as_str().unwrap_or_default(), 100);
                line("along", format!("{} of {object} {effect} the first {looked}", entry["count"]));
            }
        }
    }
}
