//! Whether a person wants it, as sure as the rule says (contract, section 7).

use crate::Bridge;
use crate::bridge::Dependents;
use crate::json::Json;
use crate::plan::Plan;
use crate::prelude::*;
use crate::preview::preview;
use crate::question;
use crate::refused::Refused;
use crate::text::{NAME_LIMIT, count, quote};
use crate::tools::{Action, Approval, Consent, Question};

/// What a call brings to show that it is wanted.
pub struct Given<'a> {
    /// `confirm`, where it was given.
    pub confirm: Option<bool>,
    /// `previewDigest`, where it was given.
    pub preview_digest: Option<&'a str>,
    /// What a person answered.
    pub approval: Option<&'a Approval>,
}

/// What consent comes to.
pub enum Verdict {
    /// The loop may run.
    Go,
    /// A person must be asked first.
    Ask(Question),
}

/// Decides whether the plan may be carried out. Checked in this order: the caller's confirmation, their
/// digest, whether there is anything to do, the person's answer.
pub fn decide(bridge: &mut dyn Bridge, plan: &Plan, given: &Given) -> Result<Verdict, Refused> {
    if cfg!(feature = "break-consent") {
        return Ok(Verdict::Go);
    }
    let level = plan.rule.consent;
    // Under `none` the call suffices; whoever says `confirm: false` still asks for a preview.
    let confirmed = given.confirm == Some(true) || (level == Consent::None && given.confirm.is_none());
    let asks = matches!(level, Consent::Accept | Consent::Typed);
    if confirmed && given.preview_digest.is_none() && !asks {
        return Ok(Verdict::Go);
    }
    let dependents = plan.dependents(bridge)?;
    let dependents = dependents.as_deref();
    if !confirmed {
        return Err(unconfirmed(plan, dependents));
    }
    let digest = plan.digest(dependents);
    if given.preview_digest.is_some_and(|seen| seen != digest) {
        return Err(changed(plan, dependents));
    }
    if !asks || plan.found.rows.is_empty() {
        return Ok(Verdict::Go);
    }
    let Some(approval) = given.approval else {
        return Ok(Verdict::Ask(question::question(plan, dependents, digest)));
    };
    match approval.action {
        Action::Decline | Action::Cancel => Err(Refused::new(
            "APPROVAL_DECLINED",
            403,
            "Not confirmed: the person declined or gave no answer, or this client did not show the question. Nothing was deleted.",
        )
        .detail("action", Json::text(if approval.action == Action::Decline { "decline" } else { "cancel" }))),
        Action::Unavailable | Action::Failed => Err(unavailable(plan, approval.action)),
        Action::Accept if approval.digest != digest => Err(changed(plan, dependents)),
        Action::Accept if level == Consent::Typed => {
            let expected = question::expected(plan);
            if approval.typed.as_deref() == Some(expected.as_str()) {
                return Ok(Verdict::Go);
            }
            let expected = quote(&expected, NAME_LIMIT);
            Err(Refused::new(
                "APPROVAL_MISMATCH",
                403,
                format!("What the person typed must match {expected} exactly; nothing was deleted."),
            ))
        }
        Action::Accept => Ok(Verdict::Go),
    }
}

fn unconfirmed(plan: &Plan, dependents: Option<&[Dependents]>) -> Refused {
    let what = format!("{} of {}", count(plan.found.rows.len() as u64, "record"), quote(plan.object(), NAME_LIMIT));
    let how = match plan.rule.consent {
        Consent::None | Consent::Attest => {
            "Show the preview to whoever asked for this; if they agree, call again with confirm: true \
             (and previewDigest, to delete only what was shown)."
        }
        Consent::Accept | Consent::Typed => {
            "Call again with confirm: true, and a person will be asked before anything goes."
        }
    };
    Refused::new(
        "ACTION_CONFIRMATION_REQUIRED",
        428,
        format!("Deleting {what} needs confirmation; nothing was deleted. {how}"),
    )
    .detail("actionName", Json::text(plan.tool))
    .detail("objectName", Json::text(plan.object()))
    .detail("confirmationMember", Json::text("confirm"))
    .beside("preview", preview(plan, dependents))
}

fn changed(plan: &Plan, dependents: Option<&[Dependents]>) -> Refused {
    Refused::new(
        "SELECTION_CHANGED",
        409,
        "What would be deleted has changed since it was shown; nothing was deleted. Here is what it is now.",
    )
    .beside("preview", preview(plan, dependents))
}

fn unavailable(plan: &Plan, action: Action) -> Refused {
    let why = match action {
        Action::Failed => "Asking the person failed",
        _ => "This client can't ask a person",
    };
    match question::hand_off(plan) {
        None => Refused::new(
            "APPROVAL_UNAVAILABLE",
            403,
            format!("{why}, and this deletion needs one; nothing was deleted. A person must delete these records where they can be asked."),
        ),
        Some(command) => Refused::new(
            "APPROVAL_UNAVAILABLE",
            403,
            format!("{why}, and this deletion needs one; nothing was deleted. A person can run, and will be asked there: {command}"),
        )
        .detail("command", Json::Text(command)),
    }
}
