//! Whole answers of calls that ran their loop.

use serde_json::{Value as Json, json};

use crate::place::Said;

/// The code, the status, the reason and whether it may be tried again.
pub type Refusal = (&'static str, u16, &'static str, bool);

pub const RESTRICTED: Refusal = ("DELETE_RESTRICTED", 409, "Other records depend on this one.", false);
pub const DENIED: Refusal = ("PERMISSION_DENIED", 403, "This caller may not remove this record.", false);
pub const BUSY: Refusal =
    ("ENGINE_BUSY", 409, "The database is in use elsewhere; the same call may succeed later.", true);

/// What became of the records, each of which was found or was not there from the start.
#[derive(Default)]
pub struct Done<'a> {
    pub deleted: usize,
    pub refused: &'a [(Refusal, &'a [&'a str])],
    pub kept: &'a [&'a str],
    pub not_found: &'a [&'a str],
}

impl Done<'_> {
    /// The answer, to the last byte.
    #[track_caller]
    pub fn is(&self, object: &str, said: &Said) {
        assert!(!said.failed, "{}", said.text);
        assert_eq!(said.text, self.answer(object).to_string());
    }

    fn answer(&self, object: &str) -> Json {
        let refused: usize = self.refused.iter().map(|(_, ids)| ids.len()).sum();
        let tried = self.deleted + refused + self.kept.len();
        let group = |((code, status, reason, retryable), ids): &(Refusal, &[&str])| {
            json!({ "code": code, "status": status, "reason": reason, "retryable": retryable, "count": ids.len(),
                    "recordIds": ids })
        };
        json!({
            "object": object,
            "matched": tried,
            "attempted": tried,
            "deleted": self.deleted,
            "refused": refused,
            "refusals": self.refused.iter().map(group).collect::<Vec<_>>(),
            "notRemoved": self.kept,
            "notFound": self.not_found,
            "warnings": [],
            "remaining": tried - self.deleted,
            "cap": 200,
            "target": { "name": "hand", "environment": "local", "production": false },
        })
    }
}

/// Every id that was asked for is in one place of the answer, and the counts say what the lists hold.
#[track_caller]
pub fn adds_up(asked: usize, answer: &Json) {
    let len = |value: &Json| value.as_array().unwrap().len();
    let count = |name: &str| usize::try_from(answer[name].as_u64().unwrap()).unwrap();
    let groups = answer["refusals"].as_array().unwrap();
    assert!(groups.iter().all(|group| group["count"] == len(&group["recordIds"])), "{answer}");
    assert_eq!(count("refused"), groups.iter().map(|group| len(&group["recordIds"])).sum::<usize>(), "{answer}");
    let told = count("deleted") + count("refused") + len(&answer["notRemoved"]) + len(&answer["notFound"]);
    assert_eq!(told, asked, "{answer}");
}

/// No record was refused for another reason.
#[track_caller]
pub fn refuses_only(said: &Said, (code, status, reason, retryable): Refusal) {
    for group in said.json["refusals"].as_array().unwrap() {
        let told = (&group["code"], &group["status"], &group["reason"], &group["retryable"]);
        assert_eq!(told, (&json!(code), &json!(status), &json!(reason), &json!(retryable)), "{}", said.text);
    }
}
