//! The tool `delete_record`: one record, by its key (contract, section 9).
//!
//! It runs the loop of `delete_records` over one record, so preview, consent and rules are the same; only the
//! answer is plainer, because there is nothing to group.

use crate::Bridge;
use crate::bridge::{Failure, Field, RecordId};
use crate::deletion;
use crate::door::{self, Argument, Kind};
use crate::id;
use crate::json::{Json, put};
use crate::output;
use crate::plan::{About, Instead, Plan};
use crate::prelude::*;
use crate::principal;
use crate::refused::Refused;
use crate::removal::Tally;
use crate::selection::{self, Wanted};
use crate::settings;
use crate::text::{NAME_LIMIT, quote};
use crate::tool::Definition;
use crate::tools::{Call, Outcome, Settings, ToolSet};

/// The tool.
pub const TOOL: Definition = Definition {
    name: NAME,
    title: "Delete one record",
    set: ToolSet::DELETE_RECORD,
    arguments: &ARGUMENTS,
    description,
    output: output::RECORD,
    destructive: true,
    // A record goes once; the same call again finds none.
    idempotent: true,
    run,
};

const NAME: &str = "delete_record";

const ARGUMENTS: [Argument; 5] = [
    Argument {
        name: "objectName",
        kind: Kind::Text,
        required: true,
        description: "The object to delete from, by its exact name.",
    },
    Argument {
        name: "recordId",
        kind: Kind::Id,
        required: false,
        description: "The record's id, as a preview shows it. Either this or keys.",
    },
    Argument {
        name: "keys",
        kind: Kind::Keys,
        required: false,
        description: "Every field of the key with its value: {\"warehouse\": \"W1\", \"sku\": \"A\"}. Either this or recordId.",
    },
    door::CONFIRM,
    door::PREVIEW_DIGEST,
];

/// How an id is read from its argument.
type Read = fn(&[Field], &Json, &str) -> Result<RecordId, Refused>;

fn run(bridge: &mut dyn Bridge, settings: &Settings, call: &Call, arguments: &Json) -> Result<Outcome, Refused> {
    let (read, json, place): (Read, _, _) = match (arguments.get("recordId"), arguments.get("keys")) {
        (Some(json), None) => (id::read, json, "recordId"),
        (None, Some(json)) => (id::read_keys, json, "keys"),
        (Some(_), Some(_)) => return Err(Refused::invalid("Give recordId or keys, not both. Nothing was deleted.")),
        (None, None) => {
            return Err(Refused::invalid("Give recordId, or keys with every field of the key. Nothing was deleted."));
        }
    };
    let object = door::text(arguments, "objectName")?;
    principal::check_object(settings, object)?;
    let caller = principal::admit(bridge, object, false)?;
    let rule = settings::rule(settings, object);
    let access = &caller.access;
    let id = read(&access.key, json, place)?;
    let instead = Instead::Ids(vec![id::show(&access.key, &id)]);
    let found = selection::read(bridge, access, &Wanted::ids(vec![id]), rule.cap)?;
    if found.rows.is_empty() {
        return Err(not_found(object));
    }
    let null_fields = Vec::new();
    let about = About::Record;
    let plan =
        Plan { tool: NAME, settings, rule, caller, every: false, by_ids: true, null_fields, found, about, instead };
    deletion::run(bridge, &plan, call, arguments, report)
}

/// What became of the one record: gone, or the reason why not as the call's own.
fn report(plan: &Plan, tally: &Tally) -> Result<Json, Refused> {
    if let Some(group) = tally.groups.first() {
        return Err(Failure::Refused(group.refusal.clone()).into());
    }
    if !tally.kept.is_empty() {
        return Err(Refused::new(
            "RECORD_NOT_REMOVED",
            409,
            "The host answered without an error, and the record is still there. Nothing was deleted.",
        ));
    }
    match plan.found.rows.first() {
        Some(row) if tally.deleted > 0 => {
            let mut members = Vec::new();
            put(&mut members, "status", Json::text("okay"));
            put(&mut members, "object", Json::text(plan.object()));
            put(&mut members, "recordId", plan.id(&row.id));
            put(&mut members, "warnings", Json::texts(&tally.warnings));
            members.extend(plan.narrowing());
            Ok(Json::Object(members))
        }
        _ => Err(not_found(plan.object())),
    }
}

/// The same where it never was, is not this caller's to see, or went meanwhile.
fn not_found(object: &str) -> Refused {
    let name = quote(object, NAME_LIMIT);
    Refused::new("RECORD_NOT_FOUND", 404, format!("There is no such record of {name} here. Nothing was deleted."))
}

fn description(_: &Settings) -> String {
    "Deletes exactly one record, by its id or by every field of its key. Two steps, as delete_records: without \
     confirm: true nothing is deleted and a preview comes back. A rule that keeps the record answers with its own \
     code and reason."
        .to_owned()
}
