//! The question to a person, and the command that they can run instead (contract, section 7).

use crate::bridge::{Dependents, Effect, Identity};
use crate::id;
use crate::json::Json;
use crate::plan::{About, Instead, Plan};
use crate::prelude::*;
use crate::selection::Matched;
use crate::text::{self, LABEL_LIMIT, NAME_LIMIT, count, quote};
use crate::tools::{Consent, Question, TypedAnswer};

/// Records that a question names: more would not be read.
const NAMED: usize = 5;
/// Characters of a name that a person is asked to type: a longer one would be pasted, not read.
const TYPED_LIMIT: usize = 64;
/// Bytes of a command that is handed to a person.
const COMMAND_LIMIT: usize = 8 * 1024;

/// The question, and what must be typed where the rule wants that.
pub fn question(plan: &Plan, dependents: Option<&[Dependents]>, digest: String) -> Question {
    let typed = (plan.rule.consent == Consent::Typed).then(|| {
        let expected = expected(plan);
        let description = format!("Type \"{expected}\" to confirm");
        TypedAnswer { expected, description }
    });
    Question { message: message(plan, dependents.unwrap_or_default()), typed, digest }
}

/// What a person types: the record's id for a single one, else what it is about and the count (`crm_task 4`). A name
/// that is long or not plain is `records`.
pub fn expected(plan: &Plan) -> String {
    let records = plan.found.rows.len();
    match (&plan.about, plan.found.rows.first()) {
        (About::Record, Some(row)) => {
            let id = id::typed(&row.id);
            if is_plain(&id) { id } else { format!("records {records}") }
        }
        (about, _) => {
            let name = match about {
                About::Scope(scope) => scope,
                About::Object | About::Record => plan.object(),
            };
            format!("{} {records}", if is_plain(name) { name } else { "records" })
        }
    }
}

/// What a person can be asked to type: something, short, and on every keyboard.
fn is_plain(name: &str) -> bool {
    name.len() <= TYPED_LIMIT && name.bytes().all(|b| (b' '..=b'~').contains(&b)) && !name.trim().is_empty()
}

fn message(plan: &Plan, dependents: &[Dependents]) -> String {
    let target = &plan.settings.target;
    let object = quote(plan.object(), NAME_LIMIT);
    let place = quote(&target.name, NAME_LIMIT);
    let environment = text::label(&target.environment);
    let scope = match &plan.about {
        About::Scope(scope) => format!(" in {}", quote(scope, NAME_LIMIT)),
        About::Object | About::Record => String::new(),
    };
    let what = format!("{} of {object}{scope} ({})", records(plan), names(plan));
    let mut message = if target.production {
        format!("PRODUCTION [{environment}]: delete {what} on {place}?")
    } else {
        format!("Delete {what} on {place} [{environment}]?")
    };
    let one = plan.found.rows.len() == 1;
    for entry in dependents {
        let object = quote(&entry.object, NAME_LIMIT);
        let effect = match (entry.effect, entry.count == 1) {
            (Effect::Cascade, true) => "goes with",
            (Effect::Cascade, false) => "go with",
            (Effect::Restrict, true) => "may stand in the way of",
            (Effect::Restrict, false) => "may stand in the way of",
            (Effect::Detach, true) => "loses its link to",
            (Effect::Detach, false) => "lose their link to",
        };
        message.push_str(&format!(" {} of {object} {effect} {}.", entry.count, if one { "it" } else { "them" }));
    }
    if !plan.caller.access.reversible {
        message.push_str(" No undo.");
    }
    message
}

/// `4 records`, `all 12 records`, `200 of 1250 records`.
fn records(plan: &Plan) -> String {
    let attempted = plan.found.rows.len() as u64;
    match plan.found.matched {
        Matched::Exactly(matched) if matched > attempted => format!("{attempted} of {}", count(matched, "record")),
        Matched::MoreThan(matched) => format!("{attempted} of more than {}", count(matched, "record")),
        Matched::Exactly(_) if plan.every && attempted > 1 => format!("all {}", count(attempted, "record")),
        Matched::Exactly(_) => count(attempted, "record"),
    }
}

fn names(plan: &Plan) -> String {
    let rows = &plan.found.rows;
    let shown: Vec<String> = rows.iter().take(NAMED).map(|row| quote(&plan.name(row), LABEL_LIMIT)).collect();
    match rows.len() - shown.len() {
        0 => shown.join(", "),
        more => format!("{}, and {more} more", shown.join(", ")),
    }
}

/// The command that a person runs instead, quoted for a POSIX shell; it asks again when it runs. None where
/// the host names none, or where it would be longer than anybody pastes or hold what a terminal does not show.
pub fn hand_off(plan: &Plan) -> Option<String> {
    let mut command = plan.settings.hand_off.clone()?;
    let add = |command: &mut String, flag: &str, value: &str| {
        command.push(' ');
        command.push_str(flag);
        command.push_str(&text::shell(value));
    };
    match &plan.caller.principal.identity {
        Identity::User(actor) => add(&mut command, "--actor=", &actor.id),
        Identity::System => command.push_str(" --system"),
        Identity::Anonymous => {}
    }
    let written = |value: &Json| match value {
        Json::Text(text) => text.clone(),
        other => other.write(),
    };
    match &plan.instead {
        Instead::Filter { filter, after } => {
            add(&mut command, "--where=", &filter.write());
            after.iter().for_each(|after| add(&mut command, "--after=", &written(after)));
        }
        Instead::Ids(ids) => ids.iter().for_each(|id| add(&mut command, "--id=", &written(id))),
    }
    add(&mut command, "-- ", plan.object());
    Some(command).filter(|command| command.len() <= COMMAND_LIMIT && !text::hides_something(command))
}
