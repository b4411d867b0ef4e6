//! The tool `delete_events`: prunes an event log by scope and time, or by ids (contract, section 9).
//!
//! What it selects is a filter in the grammar of `where`, made from the arguments, so it is read, shown, asked
//! about and handed off by the very code of `delete_records`.

use crate::Bridge;
use crate::bridge::{Access, Field, FieldType};
use crate::deletion;
use crate::door::{self, Argument, Kind};
use crate::filter;
use crate::json::{Json, object, put};
use crate::near;
use crate::output;
use crate::plan::{About, Instead, Plan};
use crate::prelude::*;
use crate::principal;
use crate::refused::Refused;
use crate::scalar;
use crate::selection::{self, Matched, Wanted};
use crate::settings;
use crate::text::{NAME_LIMIT, quote};
use crate::tool::Definition;
use crate::tools::{Call, EventLog, Outcome, Settings, ToolSet};

/// The tool.
pub const TOOL: Definition = Definition {
    name: NAME,
    title: "Delete old events",
    set: ToolSet::DELETE_EVENTS,
    arguments: &ARGUMENTS,
    description,
    output: output::EVENTS,
    destructive: true,
    // The same call again meets the next events of its filter.
    idempotent: false,
    run,
};

const NAME: &str = "delete_events";

/// The field that a log has for an argument.
type Role = fn(&EventLog) -> Option<&String>;

/// The arguments that narrow a filter by a text of a field, and the field that a log has for each.
const TEXTS: [(&str, Role); 3] = [
    ("collection", |log| Some(&log.scope)),
    ("kind", |log| log.kind.as_ref()),
    ("subject", |log| log.subject.as_ref()),
];

/// The bounds in time, both inclusive.
const BOUNDS: [(&str, &str); 2] = [("since", "$gte"), ("until", "$lte")];

/// What makes a call one by filter.
const FILTER: [&str; 6] = ["collection", "kind", "subject", "tags", "since", "until"];

const fn optional(name: &'static str, kind: Kind, description: &'static str) -> Argument {
    Argument { name, kind, required: false, description }
}

const ARGUMENTS: [Argument; 11] = [
    optional("log", Kind::Text, "Which log; needed where there are several."),
    optional("ids", Kind::Ids, "The ids of the events. Either these or collection and what narrows it."),
    optional("collection", Kind::Text, "The value of the log's scope field; needed with any of the following."),
    optional("kind", Kind::Text, "Events of this kind."),
    optional("subject", Kind::Text, "Events about this subject."),
    optional("tags", Kind::Texts, "Events that have all of these tags."),
    optional("since", Kind::Instant, "Events at or after this instant, as 2026-03-10T09:30:00Z."),
    optional("until", Kind::Instant, "Events at or before this instant."),
    optional("dryRun", Kind::Flag, "true counts what would go and deletes nothing."),
    door::CONFIRM,
    door::PREVIEW_DIGEST,
];

fn run(bridge: &mut dyn Bridge, settings: &Settings, call: &Call, arguments: &Json) -> Result<Outcome, Refused> {
    let dry_run = arguments.get("dryRun") == Some(&Json::Bool(true));
    if dry_run && (arguments.get("confirm") == Some(&Json::Bool(true)) || arguments.get("previewDigest").is_some()) {
        return Err(Refused::invalid(
            "dryRun: true deletes nothing, so it goes with neither confirm: true nor previewDigest. Nothing was deleted.",
        ));
    }
    let log = log(settings, arguments)?;
    let ids = chosen(log, arguments)?;
    principal::check_object(settings, &log.object)?;
    let caller = principal::admit(bridge, &log.object, true)?;
    let rule = settings::rule(settings, &log.object);
    let access = &caller.access;
    let (wanted, about, instead) = match ids {
        Some(ids) => (selection::listed(access, ids, "ids", rule.cap)?, About::Object, Instead::Ids(ids.to_vec())),
        None => {
            let json = filter(log, access, arguments)?;
            let filter = filter::read(&json, access)?;
            filter::check_breadth(rule, &access.object, &json, filter.every)?;
            let wanted = Wanted { selection: filter.selection, listed: None, after: None };
            let scope = door::text(arguments, "collection")?.to_owned();
            (wanted, About::Scope(scope), Instead::Filter { filter: json, after: None })
        }
    };
    let found = selection::read(bridge, access, &wanted, rule.cap)?;
    let by_ids = ids.is_some();
    let null_fields = Vec::new();
    let plan = Plan { tool: NAME, settings, rule, caller, every: false, by_ids, null_fields, found, about, instead };
    if dry_run {
        return Ok(deletion::answered(counted(&plan)));
    }
    deletion::run(bridge, &plan, call, arguments, |plan, tally| Ok(deletion::many(plan, tally, |_| None)))
}

/// The log that is meant.
fn log<'a>(settings: &'a Settings, arguments: &Json) -> Result<&'a EventLog, Refused> {
    let logs = &settings.event_logs;
    let names = || logs.iter().map(|log| log.name.as_str());
    match (arguments.get("log"), logs.as_slice()) {
        (Some(Json::Text(name)), logs) => logs.iter().find(|log| log.name == *name).ok_or_else(|| {
            Refused::invalid(format!(
                "There is no log {}.{} The logs: {}. Nothing was deleted.",
                quote(name, NAME_LIMIT),
                near::did_you_mean(near::nearest(name, names())),
                near::list(names())
            ))
        }),
        (_, [log]) => Ok(log),
        _ => Err(Refused::invalid(format!(
            "There are several logs: say which in log. They are {}. Nothing was deleted.",
            near::list(names())
        ))),
    }
}

/// The ids, or none for a filter: exactly one of both, by presence, so that an empty list never widens a call.
fn chosen<'a>(log: &EventLog, arguments: &'a Json) -> Result<Option<&'a [Json]>, Refused> {
    let filter: Vec<&str> = FILTER.into_iter().filter(|name| arguments.get(name).is_some()).collect();
    match (arguments.get("ids"), filter.as_slice()) {
        (Some(_), [_, ..]) => Err(Refused::invalid(format!(
            "ids names each event by itself and goes with none of {}. Nothing was deleted.",
            near::list(filter)
        ))),
        (Some(Json::List(ids)), []) if !ids.is_empty() => Ok(Some(ids)),
        (Some(_), []) => {
            Err(Refused::invalid("ids is empty, which names no event. Give at least one id. Nothing was deleted."))
        }
        (None, _) if arguments.get("collection").is_some() => Ok(None),
        (None, _) => Err(Refused::invalid(format!(
            "Give ids, or collection: the value of {} whose events are meant. list_objects shows the logs and their \
             fields, and a tool that reads {} lists the values that exist. Nothing was deleted.",
            quote(&log.scope, NAME_LIMIT),
            quote(&log.object, NAME_LIMIT)
        ))),
    }
}

/// The filter that the arguments mean, in the grammar of `where`.
fn filter(log: &EventLog, access: &Access, arguments: &Json) -> Result<Json, Refused> {
    let mut members = Vec::new();
    for (argument, field) in TEXTS {
        if let Some(value) = arguments.get(argument) {
            let field = fitting(log, access, argument, field(log))?;
            check(field, argument, value)?;
            members.push((field.name.clone(), value.clone()));
        }
    }
    let mut bounds = Vec::new();
    for (argument, operator) in BOUNDS {
        if let Some(instant) = arguments.get(argument) {
            put(&mut bounds, operator, instant.clone());
        }
    }
    if !bounds.is_empty() {
        let field = fitting(log, access, "since and until", Some(&log.time))?;
        if field.type_ != FieldType::Instant {
            return Err(unfit(log, &field.name, "which holds no instant"));
        }
        members.push((field.name.clone(), Json::Object(bounds)));
    }
    if let Some(Json::List(tags)) = arguments.get("tags") {
        let field = fitting(log, access, "tags", log.tags.as_ref())?;
        if field.type_ != FieldType::TextList {
            return Err(unfit(log, &field.name, "which holds no list of texts"));
        }
        let has = |tag: &Json| object([(field.name.as_str(), object([("$contains", tag.clone())]))]);
        members.push(("$and".to_owned(), Json::List(tags.iter().map(has).collect())));
    }
    Ok(Json::Object(members))
}

/// The field that a log has for an argument.
fn fitting<'a>(
    log: &EventLog,
    access: &'a Access,
    argument: &str,
    name: Option<&String>,
) -> Result<&'a Field, Refused> {
    let Some(name) = name else {
        return Err(Refused::invalid(format!(
            "The log {} has no field for {argument}: leave it out. Nothing was deleted.",
            quote(&log.name, NAME_LIMIT)
        )));
    };
    let field = access.fields.iter().find(|field| field.name == *name);
    field.ok_or_else(|| unfit(log, name, "which you can't filter by"))
}

fn check(field: &Field, argument: &str, value: &Json) -> Result<(), Refused> {
    match scalar::read(field, value) {
        Ok(_) => Ok(()),
        Err(takes) => Err(Refused::invalid(format!(
            "{argument} is no value of {}, which takes {takes}. Nothing was deleted.",
            quote(&field.name, NAME_LIMIT)
        ))),
    }
}

/// The settings name a field that the log's object does not have for this caller, or not of the type that it needs.
fn unfit(log: &EventLog, field: &str, what: &str) -> Refused {
    Refused::new(
        "SETTINGS_INVALID",
        500,
        format!(
            "The log {} is set up with the field {}, {what}. Nothing was deleted.",
            quote(&log.name, NAME_LIMIT),
            quote(field, NAME_LIMIT)
        ),
    )
}

/// The answer of a dry run: what the delete would match.
fn counted(plan: &Plan) -> Json {
    let matched = match plan.found.matched {
        Matched::Exactly(count) => ("matched", count),
        Matched::MoreThan(count) => ("matchedMoreThan", count),
    };
    let mut members = Vec::new();
    put(&mut members, "deleted", Json::number(0u64));
    put(&mut members, matched.0, Json::number(matched.1));
    members.extend(plan.narrowing());
    Json::Object(members)
}

fn description(settings: &Settings) -> String {
    let mut text =
        "Prunes an event log: the events with these ids, or those of one collection that all other arguments \
                    narrow. since and until are inclusive. dryRun: true only counts. Without confirm: true nothing is \
                    deleted and a preview comes back."
            .to_owned();
    for log in &settings.event_logs {
        text.push_str(&format!(" Log {}:", quote(&log.name, NAME_LIMIT)));
        for (at, (role, field)) in roles(log).enumerate() {
            let comma = if at == 0 { "" } else { "," };
            text.push_str(&format!("{comma} {role} is {}", quote(field, NAME_LIMIT)));
        }
        text.push('.');
    }
    text
}

/// The fields of a log, each by the argument that it is for.
pub fn roles(log: &EventLog) -> impl Iterator<Item = (&'static str, &str)> {
    let fields = [Some(&log.scope), Some(&log.time), log.kind.as_ref(), log.subject.as_ref(), log.tags.as_ref()];
    let named = ["collection", "time", "kind", "subject", "tags"].into_iter().zip(fields);
    named.filter_map(|(role, field)| Some((role, field?.as_str())))
}
