//! The tool `delete_records`: many records of one object, by filter or by ids.

use crate::Bridge;
use crate::answer::{self, Frame};
use crate::consent::{self, Given, Verdict};
use crate::door::{self, Argument, Kind};
use crate::filter;
use crate::id;
use crate::json::{Json, object};
use crate::near;
use crate::plan::Plan;
use crate::prelude::*;
use crate::principal::{self, Caller};
use crate::refused::Refused;
use crate::removal::{self, Tally};
use crate::selection::{self, Matched, Wanted};
use crate::settings;
use crate::text;
use crate::tools::{Answer, Call, Consent, ObjectRule, Outcome, Settings};

/// The tool's name.
pub const NAME: &str = "delete_records";

/// The tool's arguments.
pub const ARGUMENTS: [Argument; 6] = [
    Argument {
        name: "objectName",
        kind: Kind::Text,
        required: true,
        description: "The object to delete from, by its exact name.",
    },
    Argument {
        name: "where",
        kind: Kind::Filter,
        required: false,
        description: "A filter: {field: value} for equality, or {field: {$op: operand}} with $eq $ne $gt $gte $lt $lte $in $nin \
                      $between $contains $notContains $startsWith $endsWith $icontains $null $exists; fields are AND-ed; \
                      $and and $or take lists of filters, $not takes one. {} means every record. Either this or recordIds.",
    },
    Argument {
        name: "recordIds",
        kind: Kind::Ids,
        required: false,
        description: "The ids of the records, as a preview shows them: strings, or objects of all key fields. \
                      Either this or where.",
    },
    Argument {
        name: "after",
        kind: Kind::Id,
        required: false,
        description: "With where only: continue behind the record with this id.",
    },
    Argument {
        name: "confirm",
        kind: Kind::Flag,
        required: false,
        description: "true attests that whoever asked for this has seen what will go and agrees. Without it nothing is deleted \
                      and a preview comes back.",
    },
    Argument {
        name: "previewDigest",
        kind: Kind::Text,
        required: false,
        description: "The digest of a preview: delete only if exactly what it showed would still go.",
    },
];

/// Runs one call, whose arguments are known to be a JSON object.
pub fn run(bridge: &mut dyn Bridge, settings: &Settings, call: &Call, arguments: &Json) -> Result<Outcome, Refused> {
    principal::check_scopes(call.scopes)?;
    door::check(NAME, &ARGUMENTS, arguments)?;
    let chosen = Chosen::read(arguments)?;
    let Some(Json::Text(object)) = arguments.get("objectName") else {
        // The door let nothing else through.
        return Err(Refused::invalid("objectName must be a string."));
    };
    principal::check_object(settings, object)?;
    let caller = principal::admit(bridge, object, true)?;
    let rule = settings::rule(settings, object);
    let plan = plan(bridge, settings, rule, caller, &chosen)?;
    if cfg!(feature = "break-preview") {
        removal::run(bridge, object, &plan.found.rows, &mut Tally::default()).map_err(|(refused, _)| refused)?;
    }
    let given = Given {
        confirm: match arguments.get("confirm") {
            Some(Json::Bool(value)) => Some(*value),
            _ => None,
        },
        preview_digest: match arguments.get("previewDigest") {
            Some(Json::Text(digest)) => Some(digest),
            _ => None,
        },
        approval: call.approval.as_ref(),
        arguments,
    };
    match consent::decide(bridge, &plan, &given)? {
        Verdict::Ask(question) => Ok(Outcome::Asks(question)),
        Verdict::Go => {
            carry_out(bridge, &plan).map(|json| Outcome::Answered(Answer { failed: false, json: answer::write(json) }))
        }
    }
}

/// Exactly one of `where` and `recordIds`, by presence.
enum Chosen<'a> {
    Filter { filter: &'a Json, after: Option<&'a Json> },
    Ids(&'a [Json]),
}

impl Chosen<'_> {
    fn read(arguments: &Json) -> Result<Chosen<'_>, Refused> {
        let after = arguments.get("after");
        match (arguments.get("where"), arguments.get("recordIds")) {
            (Some(_), Some(_)) => Err(Refused::invalid("Give where or recordIds, not both. Nothing was deleted.")),
            (None, None) => {
                Err(Refused::invalid("Give where (a filter; {} means every record) or recordIds. Nothing was deleted."))
            }
            (Some(filter), None) => Ok(Chosen::Filter { filter, after }),
            (None, Some(_)) if after.is_some() => {
                Err(Refused::invalid("after goes with where only: a list of ids is worked whole. Nothing was deleted."))
            }
            (None, Some(Json::List(ids))) if !ids.is_empty() => Ok(Chosen::Ids(ids)),
            (None, Some(_)) => Err(Refused::invalid(
                "recordIds is empty, which names no record. Give at least one id. Nothing was deleted.",
            )),
        }
    }
}

/// From what was chosen to the records that it means.
fn plan<'a>(
    bridge: &mut dyn Bridge,
    settings: &'a Settings,
    rule: &'a ObjectRule,
    caller: Caller,
    chosen: &Chosen,
) -> Result<Plan<'a>, Refused> {
    let access = &caller.access;
    let (wanted, every, null_fields) = match chosen {
        Chosen::Ids(ids) => (selection::listed(access, ids, rule.cap)?, false, Vec::new()),
        Chosen::Filter { filter: json, after } => {
            let filter = filter::read(json, access)?;
            let after = after.map(|after| id::read(&access.key, after, "after")).transpose()?;
            check_breadth(rule, access.object.as_str(), json, filter.every)?;
            let null_fields = filter.null_fields;
            (Wanted { selection: filter.selection, listed: None, after }, filter.every, null_fields)
        }
    };
    let found = selection::read(bridge, access, &wanted, rule.cap)?;
    let by_ids = wanted.listed.is_some();
    Ok(Plan { tool: NAME, settings, rule, caller, every, by_ids, null_fields, found })
}

/// `unfiltered` and `scope`: how broad a filter may be.
fn check_breadth(rule: &ObjectRule, object: &str, filter: &Json, every: bool) -> Result<(), Refused> {
    let name = text::quote(object, text::NAME_LIMIT);
    if every && !rule.unfiltered {
        return Err(Refused::new(
            "FILTER_REQUIRED",
            400,
            format!(
                "Every record of {name} can't be deleted at once here: give a filter or recordIds. Nothing was deleted."
            ),
        ));
    }
    let open = |field: &&String| !filter::pins(filter, field);
    let open: Vec<&str> = rule.scope.iter().filter(open).map(String::as_str).collect();
    if open.is_empty() {
        return Ok(());
    }
    Err(Refused::new(
        "SCOPE_REQUIRED",
        400,
        format!(
            "A filter of {name} must pin {} to one value each, at its top level, as {{\"field\": value}}. Nothing was deleted.",
            near::list(open)
        ),
    ))
}

/// Asks for the caller once more, runs the loop and makes the answer.
fn carry_out(bridge: &mut dyn Bridge, plan: &Plan) -> Result<Json, Refused> {
    let rows = &plan.found.rows;
    let mut tally = Tally::default();
    if !rows.is_empty() {
        principal::recheck(bridge, &plan.caller)?;
    }
    let stopped = removal::run(bridge, plan.object(), rows, &mut tally).err();
    let (matched, matched_more_than) = match plan.found.matched {
        Matched::Exactly(count) => (Some(count), None),
        Matched::MoreThan(count) => (None, Some(count)),
    };
    let frame = Frame {
        object: plan.object(),
        matched,
        matched_more_than,
        not_found: &plan.found.not_found,
        cap: plan.rule.cap,
        target: &plan.settings.target,
        show: &|id| plan.id(id),
    };
    let mut members = answer::members(&frame, &tally);
    match stopped {
        None => {
            members.extend(next(plan, &tally).map(|sentence| ("next".to_owned(), Json::Text(sentence))));
            members.extend(plan.narrowing());
            Ok(Json::Object(members))
        }
        Some((refused, failed)) => {
            let left = rows.len() as u64 - tally.attempted;
            members.push(("notAttempted".to_owned(), Json::number(left)));
            let json = refused.detail("failedRecordId", plan.id(&failed)).beside("progress", Json::Object(members));
            Err(json)
        }
    }
}

/// Where more match than one call attempts: how many are left, and how to go on.
fn next(plan: &Plan, tally: &Tally) -> Option<String> {
    if !plan.found.more {
        return None;
    }
    let gone = tally.deleted + tally.absent.len() as u64;
    let left = match plan.found.matched {
        Matched::Exactly(count) => match count.saturating_sub(gone) {
            1 => "1 record is left".to_owned(),
            left => format!("{left} records are left"),
        },
        Matched::MoreThan(_) => "More records are left, uncounted".to_owned(),
    };
    let mut sentence = format!("{left}: the same call (without previewDigest) continues.");
    let stayed = tally.refused() + tally.kept.len() as u64;
    if let Some(last) = plan.found.rows.last().filter(|_| stayed > 0) {
        let id = plan.id(&last.id).write();
        let stayed = text::count(stayed, "record");
        sentence.push_str(&format!(" It would meet again the {stayed} that stayed; \"after\": {id} moves past them."));
    }
    Some(sentence)
}

/// How a caller uses the tool, in a few lines.
pub fn description(settings: &Settings) -> String {
    let consent = match settings.default_rule.consent {
        Consent::None | Consent::Attest => "call again with confirm: true once whoever asked for this agrees",
        Consent::Accept | Consent::Typed => "call again with confirm: true, and a person is asked",
    };
    format!(
        "Deletes records of one object, chosen by a filter or by ids, at most {} a call. Two steps: the first call deletes nothing \
         and shows a preview; {consent}. Each record is judged by the host's own rules: those refused are grouped by reason, and \
         the others are deleted. There is no undo unless the host has one.",
        settings.default_rule.cap
    )
}

/// The output schema: closed, and true of every answer that is not failed.
pub fn output_schema() -> Json {
    let of_type = |name: &str| object([("type", Json::text(name))]);
    let list = |items: Json| object([("type", Json::text("array")), ("items", items)]);
    let composite = object([("type", Json::text("object")), ("additionalProperties", of_type("string"))]);
    let id = object([("anyOf", Json::List(vec![of_type("string"), composite]))]);
    let closed = |properties: Vec<(&str, Json)>, optional: &[&str]| {
        let required = properties.iter().map(|(name, _)| *name).filter(|name| !optional.contains(name)).map(Json::text);
        let required = Json::List(required.collect());
        object([
            ("type", Json::text("object")),
            ("additionalProperties", Json::Bool(false)),
            (
                "properties",
                Json::Object(properties.into_iter().map(|(name, schema)| (name.to_owned(), schema)).collect()),
            ),
            ("required", required),
        ])
    };
    let refusal = closed(
        vec![
            ("code", of_type("string")),
            ("status", of_type("integer")),
            ("reason", of_type("string")),
            ("retryable", of_type("boolean")),
            ("count", of_type("integer")),
            ("recordIds", list(id.clone())),
        ],
        &[],
    );
    let target = closed(
        vec![("name", of_type("string")), ("environment", of_type("string")), ("production", of_type("boolean"))],
        &[],
    );
    closed(
        vec![
            ("object", of_type("string")),
            ("matched", of_type("integer")),
            ("matchedMoreThan", of_type("integer")),
            ("attempted", of_type("integer")),
            ("deleted", of_type("integer")),
            ("refused", of_type("integer")),
            ("refusals", list(refusal)),
            ("notRemoved", list(id.clone())),
            ("notFound", list(id)),
            ("warnings", list(of_type("string"))),
            ("remaining", of_type("integer")),
            ("cap", of_type("integer")),
            ("target", target),
            ("next", of_type("string")),
            ("delegationNarrowed", of_type("boolean")),
            ("warning", of_type("string")),
            ("truncated", of_type("boolean")),
        ],
        &["matched", "matchedMoreThan", "remaining", "next", "delegationNarrowed", "warning", "truncated"],
    )
}
