//! The tool `delete_records`: many records of one object, by filter or by ids.

use crate::Bridge;
use crate::deletion;
use crate::door::{self, Argument, Kind};
use crate::filter;
use crate::id;
use crate::json::Json;
use crate::plan::{About, Instead, Plan};
use crate::prelude::*;
use crate::principal::{self, Caller};
use crate::refused::Refused;
use crate::selection::{self, Wanted};
use crate::settings;
use crate::tool::Definition;
use crate::tools::{Call, Consent, ObjectRule, Outcome, Settings, ToolSet};
use crate::{output, removal};

/// The tool.
pub const TOOL: Definition = Definition {
    name: NAME,
    title: "Delete records",
    set: ToolSet::DELETE_RECORDS,
    arguments: &ARGUMENTS,
    description,
    output: output::RECORDS,
    destructive: true,
    // The same call again meets the next records of its filter.
    idempotent: false,
    run,
};

const NAME: &str = "delete_records";

const ARGUMENTS: [Argument; 6] = [
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
    door::CONFIRM,
    door::PREVIEW_DIGEST,
];

fn run(bridge: &mut dyn Bridge, settings: &Settings, call: &Call, arguments: &Json) -> Result<Outcome, Refused> {
    let chosen = Chosen::read(arguments)?;
    let object = door::text(arguments, "objectName")?;
    principal::check_object(settings, object)?;
    let caller = principal::admit(bridge, object, true)?;
    let rule = settings::rule(settings, object);
    let plan = plan(bridge, settings, rule, caller, &chosen)?;
    deletion::run(bridge, &plan, call, arguments, report)
}

fn report(plan: &Plan, tally: &removal::Tally) -> Result<Json, Refused> {
    Ok(deletion::many(plan, tally, |plan| {
        let last = plan.found.rows.last()?;
        Some(format!("\"after\": {} moves past them", plan.id(&last.id).write()))
    }))
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
    let (wanted, every, null_fields, instead) = match *chosen {
        Chosen::Ids(ids) => {
            (selection::listed(access, ids, "recordIds", rule.cap)?, false, Vec::new(), Instead::Ids(ids.to_vec()))
        }
        Chosen::Filter { filter: json, after } => {
            let filter = filter::read(json, access)?;
            let behind = after.map(|after| id::read(&access.key, after, "after")).transpose()?;
            filter::check_breadth(rule, &access.object, json, filter.every)?;
            let instead = Instead::Filter { filter: json.clone(), after: after.cloned() };
            let wanted = Wanted { selection: filter.selection, listed: None, after: behind };
            (wanted, filter.every, filter.null_fields, instead)
        }
    };
    let found = selection::read(bridge, access, &wanted, rule.cap)?;
    let by_ids = wanted.listed.is_some();
    Ok(Plan { tool: NAME, settings, rule, caller, every, by_ids, null_fields, found, about: About::Object, instead })
}

/// How a caller uses the tool, in a few lines.
fn description(settings: &Settings) -> String {
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
