//! The tool `list_objects`: what this caller may delete from, and by what. It asks who is calling and what they
//! may do, and nothing else of the bridge.

use crate::Bridge;
use crate::answer;
use crate::bridge::{Access, Field, FieldType, Verbs};
use crate::delete_events;
use crate::deletion;
use crate::door::{self, Argument, Kind};
use crate::json::{self, Json, object};
use crate::output;
use crate::prelude::*;
use crate::principal;
use crate::refused::Refused;
use crate::settings;
use crate::tool::{self, Definition};
use crate::tools::{Call, Consent, EventLog, Outcome, Settings, ToolSet};

/// The tool.
pub const TOOL: Definition = Definition {
    name: "list_objects",
    title: "List objects to delete from",
    set: ToolSet::LIST_OBJECTS,
    arguments: &ARGUMENTS,
    description,
    output: output::OBJECTS,
    destructive: false,
    idempotent: true,
    run,
};

const ARGUMENTS: [Argument; 1] = [Argument {
    name: "objectName",
    kind: Kind::Text,
    required: false,
    description: "Only this object, by its exact name.",
}];

fn run(bridge: &mut dyn Bridge, settings: &Settings, _: &Call, arguments: &Json) -> Result<Outcome, Refused> {
    let mut objects = Vec::new();
    if arguments.get("objectName").is_some() {
        let name = door::text(arguments, "objectName")?;
        principal::check_object(settings, name)?;
        if !settings.objects.iter().any(|object| object == name) {
            return Err(principal::no_object(name));
        }
        objects.extend(entry(settings, &principal::admit(bridge, name, false)?.access));
    } else {
        let names = settings.objects.iter().filter(|name| !settings::is_system_object(settings, name));
        for name in names {
            let access = principal::known(bridge, name)?.access;
            objects.extend(access.filter(|access| access.object == *name).and_then(|access| entry(settings, &access)));
        }
    }
    Ok(deletion::answered(fit(object([
        ("objects", Json::List(objects)),
        ("target", answer::target(&settings.target)),
    ]))))
}

/// One object; none where no tool that is on serves this caller there.
fn entry(settings: &Settings, access: &Access) -> Option<Json> {
    let lists = access.verbs.contains(Verbs::LIST);
    let mut tools = Vec::new();
    let mut logs = Vec::new();
    for tool in tool::offered(settings) {
        if tool.set == ToolSet::DELETE_EVENTS && lists {
            logs.extend(settings.event_logs.iter().filter(|log| log.object == access.object).map(log));
        }
        let serves = match tool.set {
            ToolSet::DELETE_RECORDS => lists,
            ToolSet::DELETE_EVENTS => !logs.is_empty(),
            other => other == ToolSet::DELETE_RECORD,
        };
        if serves {
            tools.push(Json::text(tool.name));
        }
    }
    if tools.is_empty() || !access.verbs.contains(Verbs::REMOVE) || !principal::has_key(access) {
        return None;
    }
    let rule = settings::rule(settings, &access.object);
    let mut members = Vec::new();
    let mut put = |name: &str, value: Json| json::put(&mut members, name, value);
    put("name", Json::text(&access.object));
    put("key", fields(&access.key, false));
    put("fields", fields(&access.fields, true));
    put("consent", Json::text(consent_name(rule.consent)));
    put("cap", Json::number(rule.cap));
    put("scope", Json::texts(&rule.scope));
    put("unfiltered", Json::Bool(rule.unfiltered));
    put("reversible", Json::Bool(access.reversible));
    put("tools", Json::List(tools));
    if !logs.is_empty() {
        put("logs", Json::List(logs));
    }
    Some(Json::Object(members))
}

fn fields(fields: &[Field], nullable: bool) -> Json {
    let field = |field: &Field| {
        let mut members = Vec::new();
        json::put(&mut members, "name", Json::text(&field.name));
        json::put(&mut members, "type", Json::text(type_name(field.type_)));
        if nullable {
            json::put(&mut members, "nullable", Json::Bool(field.nullable));
        }
        Json::Object(members)
    };
    Json::List(fields.iter().map(field).collect())
}

/// A log, with the field behind each argument of `delete_events`.
fn log(log: &EventLog) -> Json {
    let mut members = Vec::new();
    json::put(&mut members, "log", Json::text(&log.name));
    for (role, field) in delete_events::roles(log) {
        json::put(&mut members, role, Json::text(field));
    }
    Json::Object(members)
}

/// Keeps the answer under the size that clients take: fields are left out from the last object up, then objects.
fn fit(mut json: Json) -> Json {
    let mut cut = false;
    while json.write().len() >= answer::MAX_BYTES - answer::MARK {
        cut = true;
        let Json::Object(members) = &mut json else { break };
        let Some((_, Json::List(objects))) = members.first_mut() else { break };
        let has_fields = |entry: &Json| entry.get("fields").is_some();
        // Half at a time: what is written again and again must not cost more than the call is worth.
        let whole = objects.iter().filter(|entry| has_fields(entry)).count();
        if whole == 0 {
            objects.truncate(objects.len() / 2);
            continue;
        }
        for entry in objects.iter_mut().filter(|entry| has_fields(entry)).skip(whole / 2) {
            if let Json::Object(members) = entry {
                members.retain(|(name, _)| name != "fields");
            }
        }
    }
    if cut && let Json::Object(members) = &mut json {
        members.push(("truncated".to_owned(), Json::Bool(true)));
    }
    json
}

fn type_name(kind: FieldType) -> &'static str {
    match kind {
        FieldType::Boolean => "boolean",
        FieldType::Integer => "integer",
        FieldType::Decimal => "decimal",
        FieldType::Float => "float",
        FieldType::Text => "text",
        FieldType::Uuid => "uuid",
        FieldType::Date => "date",
        FieldType::Instant => "instant",
        FieldType::TextList => "text-list",
        FieldType::Opaque => "opaque",
    }
}

fn consent_name(consent: Consent) -> &'static str {
    match consent {
        Consent::None => "none",
        Consent::Attest => "attest",
        Consent::Accept => "accept",
        Consent::Typed => "typed",
    }
}

fn description(_: &Settings) -> String {
    "Lists the objects that you may delete from: each with its key, the fields that a filter may name, the tools that \
     serve it, and what a deletion takes (consent: attest is confirm: true; accept and typed ask a person). Deletes \
     nothing and reads no records. Where fields are missing (truncated), name the object."
        .to_owned()
}
