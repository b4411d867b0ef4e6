//! The answer of a deletion, whole or stopped, and the bound on its size (contract, section 8).

use crate::bridge::RecordId;
use crate::json::{self, Json, object};
use crate::prelude::*;
use crate::removal::{Group, Tally};
use crate::tools::Target;

/// Bytes that an answer stays under: clients cut or refuse larger ones.
pub const MAX_BYTES: usize = 64 * 1024;

/// Bytes of the mark that an answer was cut.
pub const MARK: usize = ",\"truncated\":true".len() + 1;

/// `{name, environment, production}`.
pub fn target(target: &Target) -> Json {
    object([
        ("name", Json::text(&target.name)),
        ("environment", Json::text(&target.environment)),
        ("production", Json::Bool(target.production)),
    ])
}

/// What stands in an answer besides the tally.
pub struct Frame<'a> {
    /// The object's name.
    pub object: &'a str,
    /// `matched`, where it is exact.
    pub matched: Option<u64>,
    /// `matchedMoreThan`, where it is not.
    pub matched_more_than: Option<u64>,
    /// Listed ids that named no record the caller can read.
    pub not_found: &'a [RecordId],
    /// The rule's cap.
    pub cap: u32,
    /// Where the records are.
    pub target: &'a Target,
    /// How an id leaves.
    pub show: &'a dyn Fn(&RecordId) -> Json,
}

/// The members of an answer, the counts first. `remaining` is there only where `matched` is exact.
pub fn members(frame: &Frame, tally: &Tally) -> Vec<(String, Json)> {
    let ids = |ids: &[RecordId]| Json::List(ids.iter().map(frame.show).collect());
    let group = |group: &Group| {
        object([
            ("code", Json::text(&group.refusal.code)),
            ("status", Json::number(group.refusal.status)),
            ("reason", Json::text(&group.refusal.reason)),
            ("retryable", Json::Bool(group.refusal.retryable)),
            ("count", Json::number(group.ids.len() as u64)),
            ("recordIds", ids(&group.ids)),
        ])
    };
    let not_found: Vec<RecordId> = frame.not_found.iter().chain(&tally.absent).cloned().collect();
    let gone = tally.deleted + tally.absent.len() as u64;
    let mut members = Vec::new();
    let mut put = |name: &str, value: Json| json::put(&mut members, name, value);
    put("object", Json::text(frame.object));
    if let Some(count) = frame.matched {
        put("matched", Json::number(count));
    }
    if let Some(count) = frame.matched_more_than {
        put("matchedMoreThan", Json::number(count));
    }
    put("attempted", Json::number(tally.attempted));
    put("deleted", Json::number(tally.deleted));
    put("refused", Json::number(tally.refused()));
    put("refusals", Json::List(tally.largest_first().into_iter().map(group).collect()));
    put("notRemoved", ids(&tally.kept));
    put("notFound", ids(&not_found));
    put("warnings", Json::texts(&tally.warnings));
    if let Some(count) = frame.matched {
        put("remaining", Json::number(count.saturating_sub(gone)));
    }
    put("cap", Json::number(frame.cap));
    put("target", target(frame.target));
    members
}

/// The text of an answer, under [`MAX_BYTES`]: beyond that, ids are cut from the smallest group up, then the
/// other lists of ids, then reasons and warnings, then whole groups, and `truncated: true` says so. The
/// counts stay.
pub fn write(mut json: Json) -> String {
    let text = json.write();
    if text.len() < MAX_BYTES {
        return text;
    }
    // What is cut frees at least as many bytes as it had as text; the mark takes some.
    let mut excess = text.len() - MAX_BYTES + MARK;
    for body in ["progress", "preview", ""] {
        if let Some(body) = member(&mut json, body) {
            cut(body, &mut excess);
        }
    }
    if let Json::Object(members) = &mut json {
        members.push(("truncated".to_owned(), Json::Bool(true)));
    }
    json.write()
}

/// What stands for a reason that was cut.
const CUT: &str = "…";

fn cut(body: &mut Json, excess: &mut usize) {
    let groups = |body: &mut Json, each: &mut dyn FnMut(&mut Json)| {
        if let Some(Json::List(groups)) = member(body, "refusals") {
            groups.iter_mut().rev().for_each(each);
        }
    };
    groups(body, &mut |group| shorten(member(group, "recordIds"), excess));
    for list in ["notFound", "notRemoved", "sampleRecordIds", "sampleRecords"] {
        shorten(member(body, list), excess);
    }
    groups(body, &mut |group| {
        if let Some(Json::Text(reason)) = member(group, "reason")
            && *excess > 0
            && reason.len() > CUT.len()
        {
            *excess = excess.saturating_sub(reason.len() - CUT.len());
            *reason = CUT.to_owned();
        }
    });
    for list in ["warnings", "refusals", "dependents"] {
        shorten(member(body, list), excess);
    }
}

/// Takes entries from the end of a list until nothing is too much.
fn shorten(list: Option<&mut Json>, excess: &mut usize) {
    let Some(Json::List(items)) = list else { return };
    while *excess > 0 {
        let Some(item) = items.pop() else { return };
        *excess = excess.saturating_sub(item.write().len());
    }
}

/// A member of an object; the object itself for the empty name.
fn member<'a>(json: &'a mut Json, name: &str) -> Option<&'a mut Json> {
    if name.is_empty() {
        return Some(json);
    }
    match json {
        Json::Object(members) => members.iter_mut().find(|(key, _)| key == name).map(|(_, value)| value),
        _ => None,
    }
}
