//! Whether the records that were read may go: the consent that the rule wants (contract, section 7).

use delete_records::tools::{Action, Consent, ObjectRule};

use super::asked::Asked;
use super::intent::Intent;
use crate::plugin::Approval;

/// Checks the consent to remove. `now` is what a person would be asked now, under a digest of the guest's.
pub(super) fn check(
    rule: &ObjectRule,
    intent: &Intent,
    approval: Option<&Approval>,
    now: impl FnOnce(&str) -> Asked,
) -> Result<(), &'static str> {
    if intent.dry_run {
        return Err("tried to remove in a dry run");
    }
    match (rule.consent, intent.confirm) {
        (Consent::None, None | Some(true)) | (Consent::Attest, Some(true)) => Ok(()),
        (Consent::Accept | Consent::Typed, Some(true)) => {
            let approval = approval.ok_or("tried to remove without a person's approval")?;
            if approval.action != Action::Accept {
                return Err("tried to remove what a person did not approve");
            }
            let now = now(approval.asked.digest());
            if now != approval.asked {
                return Err("tried to remove other records than a person approved");
            }
            if now.expected() != approval.typed.as_deref().filter(|_| rule.consent == Consent::Typed) {
                return Err("tried to remove although a person typed something else");
            }
            Ok(())
        }
        _ => Err("tried to remove without confirm: true"),
    }
}

/// Whether a question to a person belongs to this call.
pub(super) fn may_ask(consent: Consent, intent: &Intent) -> bool {
    matches!(consent, Consent::Accept | Consent::Typed) && intent.confirm == Some(true) && !intent.dry_run
}
