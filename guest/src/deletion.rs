//! From a plan to its end: the consent, the caller asked once more, the loop. Every tool that deletes goes
//! this one way; what a tool makes of the tally is its own.

use crate::Bridge;
use crate::answer::{self, Frame};
use crate::consent::{self, Given, Verdict};
use crate::json::Json;
use crate::plan::Plan;
use crate::prelude::*;
use crate::principal;
use crate::refused::Refused;
use crate::removal::{self, Tally};
use crate::selection::Matched;
use crate::text;
use crate::tools::{Answer, Call, Outcome};

/// The answer of a loop that came to its end.
pub type Report = fn(&Plan, &Tally) -> Result<Json, Refused>;

/// Asks for consent, and carries the plan out where it is given.
pub fn run(
    bridge: &mut dyn Bridge,
    plan: &Plan,
    call: &Call,
    arguments: &Json,
    report: Report,
) -> Result<Outcome, Refused> {
    if cfg!(feature = "break-preview") {
        let broken = removal::run(bridge, plan.object(), &plan.found.rows, &mut Tally::default());
        broken.map_err(|(refused, _)| refused)?;
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
    };
    match consent::decide(bridge, plan, &given)? {
        Verdict::Ask(question) => Ok(Outcome::Asks(question)),
        Verdict::Go => carry_out(bridge, plan, report).map(answered),
    }
}

/// An answer that is not failed.
pub fn answered(json: Json) -> Outcome {
    Outcome::Answered(Answer { failed: false, json: answer::write(json) })
}

fn carry_out(bridge: &mut dyn Bridge, plan: &Plan, report: Report) -> Result<Json, Refused> {
    let rows = &plan.found.rows;
    let mut tally = Tally::default();
    if !rows.is_empty() {
        principal::recheck(bridge, &plan.caller)?;
    }
    match removal::run(bridge, plan.object(), rows, &mut tally) {
        Ok(()) => report(plan, &tally),
        Err((refused, failed)) => {
            let mut progress = members(plan, &tally);
            let left = rows.len() as u64 - tally.attempted;
            progress.push(("notAttempted".to_owned(), Json::number(left)));
            Err(refused.detail("failedRecordId", plan.id(&failed)).beside("progress", Json::Object(progress)))
        }
    }
}

/// The members of section 8.
fn members(plan: &Plan, tally: &Tally) -> Vec<(String, Json)> {
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
    answer::members(&frame, tally)
}

/// The answer of section 8; `past` says how to get past records that stayed, where the tool has a way.
pub fn many(plan: &Plan, tally: &Tally, past: fn(&Plan) -> Option<String>) -> Json {
    let mut members = members(plan, tally);
    members.extend(next(plan, tally, past).map(|sentence| ("next".to_owned(), Json::Text(sentence))));
    members.extend(plan.narrowing());
    Json::Object(members)
}

/// Where more match than one call attempts: how many are left, and how to go on.
fn next(plan: &Plan, tally: &Tally, past: fn(&Plan) -> Option<String>) -> Option<String> {
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
    if stayed > 0 {
        let stayed = text::count(stayed, "record");
        sentence.push_str(&format!(
            " It would meet again the {stayed} that stayed{}",
            match past(plan) {
                Some(way) => format!("; {way}."),
                None => ".".to_owned(),
            }
        ));
    }
    Some(sentence)
}
