//! What the host's owner decided, and whether it can be used.

use crate::near;
use crate::prelude::*;
use crate::sorted;
use crate::text::{NAME_LIMIT, quote};
use crate::tools::{Consent, ObjectRule, Settings};

/// Most records that a rule may let one call remove: a call is bounded, and so is what a mistake costs.
pub const MAX_CAP: u32 = 1000;

/// The rule for an object: its own, else the default.
pub fn rule<'a>(settings: &'a Settings, object: &str) -> &'a ObjectRule {
    settings.rules.iter().find(|rule| rule.object == object).unwrap_or(&settings.default_rule)
}

/// Whether no tool touches this object: its name, whole or after its last dot, matches a pattern in any case.
pub fn is_system_object(settings: &Settings, object: &str) -> bool {
    let last = object.rsplit('.').next().unwrap_or(object);
    settings.system_objects.iter().any(|pattern| matches(pattern, object) || matches(pattern, last))
}

/// `*` at an end stands for anything; ASCII case does not count.
fn matches(pattern: &str, name: &str) -> bool {
    let (pattern, name) = (pattern.to_ascii_lowercase(), name.to_ascii_lowercase());
    match (pattern.strip_prefix('*'), pattern.strip_suffix('*')) {
        (_, Some("")) => true,
        (Some(inner), Some(_)) => name.contains(inner.trim_end_matches('*')),
        (Some(end), None) => name.ends_with(end),
        (None, Some(start)) => name.starts_with(start),
        (None, None) => name == pattern,
    }
}

/// What is wrong with the settings, one sentence each; empty where they can be used.
pub fn check(settings: &Settings) -> Vec<String> {
    let mut wrong = Vec::new();
    if settings.target.name.trim().is_empty() {
        wrong.push("target.name is empty: a person who is asked must be told where the records are.".to_owned());
    }
    if settings.target.environment.trim().is_empty() {
        wrong.push("target.environment is empty: say \"dev\", \"test\", \"production\" or the like.".to_owned());
    }
    // It stands in brackets in a question, among names in quotes.
    if settings.target.environment.contains(['"', '[', ']']) {
        wrong.push("target.environment has a quote or a bracket: use a plain word.".to_owned());
    }
    check_rule(settings, &settings.default_rule, "default-rule", &mut wrong);
    let mut named = Vec::new();
    for rule in &settings.rules {
        let place = format!("the rule for {}", quote(&rule.object, NAME_LIMIT));
        check_rule(settings, rule, &place, &mut wrong);
        if rule.object.is_empty() {
            wrong.push("a rule names no object.".to_owned());
        }
        if !sorted::insert(&mut named, rule.object.as_str()) {
            wrong.push(format!("{place} stands twice: which one holds?"));
        }
        if is_system_object(settings, &rule.object) {
            wrong.push(format!("{place} has no effect: system-objects keeps every tool from it."));
        }
    }
    for pattern in &settings.system_objects {
        let inner = pattern.strip_prefix('*').unwrap_or(pattern);
        let inner = inner.strip_suffix('*').unwrap_or(inner);
        if pattern.is_empty() || inner.contains('*') {
            wrong.push(format!(
                "the pattern {} of system-objects can't be used: `*` may stand at its beginning and at its end.",
                quote(pattern, NAME_LIMIT)
            ));
        }
    }
    check_logs(settings, &mut wrong);
    if settings.hand_off.as_ref().is_some_and(|command| command.chars().any(char::is_control)) {
        wrong.push("hand-off has a control character: it must be one line for a shell.".to_owned());
    }
    wrong
}

fn check_logs(settings: &Settings, wrong: &mut Vec<String>) {
    let mut named = Vec::new();
    for log in &settings.event_logs {
        let place = format!("the event log {}", quote(&log.name, NAME_LIMIT));
        let optional = [log.kind.as_ref(), log.subject.as_ref(), log.tags.as_ref()];
        let fields: Vec<&String> = [Some(&log.scope), Some(&log.time)].into_iter().chain(optional).flatten().collect();
        if [&log.name, &log.object].into_iter().chain(fields.iter().copied()).any(String::is_empty) {
            wrong.push(format!(
                "{place} has an empty name: name, object, scope and time are needed, the rest may be left out."
            ));
        }
        if !sorted::insert(&mut named, log.name.as_str()) {
            wrong.push(format!("{place} stands twice: which one holds?"));
        }
        let mut seen = Vec::new();
        if let Some(field) = fields.into_iter().find(|field| !sorted::insert(&mut seen, field.as_str())) {
            wrong.push(format!("{place} has the field {} twice.", quote(field, NAME_LIMIT)));
        }
        if is_system_object(settings, &log.object) {
            wrong.push(format!("{place} has no effect: system-objects keeps every tool from its object."));
        }
    }
}

fn check_rule(settings: &Settings, rule: &ObjectRule, place: &str, wrong: &mut Vec<String>) {
    if !(1..=MAX_CAP).contains(&rule.cap) {
        wrong.push(format!("{place}: cap is {}; it may be 1 to {MAX_CAP}.", rule.cap));
    }
    if rule.consent == Consent::None && settings.target.production {
        wrong.push(format!("{place}: consent none is refused in production; allowed are attest, accept, typed."));
    }
    let mut fields = Vec::new();
    if let Some(field) =
        rule.scope.iter().find(|field| field.is_empty() || !sorted::insert(&mut fields, field.as_str()))
    {
        wrong.push(format!("{place}: scope has {} (each field once, and none empty).", near::list([field.as_str()])));
    }
}

#[cfg(test)]
mod tests {
    use super::matches;

    #[test]
    fn patterns_stand_for_any_text_at_their_ends_in_any_case() {
        assert!(matches("sys_*", "SYS_user") && matches("*_log", "audit_LOG") && matches("*sys*", "x_sys_y"));
        assert!(
            matches("users", "Users")
                && matches("*", "x")
                && matches("information_schema.*", "information_schema.tables")
        );
        assert!(!matches("sys_*", "my_sys_x") && !matches("users", "users2") && !matches("sqlite_*", "sqlit"));
    }
}
