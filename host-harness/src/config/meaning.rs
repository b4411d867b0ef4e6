//! What each part of a file allows and the whole does not.

use std::collections::BTreeSet;

use toml::Spanned;
use toml::de::{DeTable, DeValue};

use super::check::{Found, Weight, boolean, entries, line, lookup, table, tables, text, texts};
use super::postgres::ACTOR;
use super::section::{list, wrong};
use super::{DEFAULT_SYSTEM_OBJECTS, Target, is_system_object};

impl Found<'_> {
    /// What each part allows and the whole does not. Parts of a wrong type have been told, and say nothing here.
    pub fn meaning(&mut self, root: &DeTable) {
        let production = self.target(root);
        let patterns = match lookup(root, &["system-objects"]) {
            Some(value) => texts(value).into_iter().map(|(text, _)| text.to_owned()).collect(),
            None => DEFAULT_SYSTEM_OBJECTS.map(str::to_owned).to_vec(),
        };
        let allow = lookup(root, &["allow"]).map(texts);
        let allowed: Option<Vec<&str>> = allow.as_ref().map(|allow| allow.iter().map(|(name, _)| *name).collect());
        let offered = |name: &str| {
            allowed.as_ref().is_none_or(|allowed| allowed.contains(&name))
                && lookup(root, &["objects", name, "exclude"]).and_then(boolean) != Some(true)
        };
        for (name, value) in allow.iter().flatten() {
            if !offered(name) {
                self.warn(
                    value,
                    format!("`allow` names `{name}`, which [objects.{name}] excludes: it stays excluded."),
                );
            }
        }
        let mut names = BTreeSet::new();
        for (name, object) in tables(root, "objects") {
            self.object(name, object, root, production, &mut names);
            if is_system_object(&patterns, name) {
                self.mean(
                    object,
                    format!("[objects.{name}] has no effect: `system-objects` keeps every tool from it."),
                );
            } else if !offered(name) && !only_excludes(object) {
                self.warn(object, format!("[objects.{name}] has no effect: no tool is offered this object."));
            }
        }
        self.logs(root, &patterns, offered);
        self.auth(root);
        self.postgres(root);
        self.tools(root);
    }

    /// Whether it is production.
    fn target(&mut self, root: &DeTable) -> bool {
        let production = lookup(root, &["target", "production"]);
        let environment = lookup(root, &["target", "environment"]);
        let named = environment.and_then(text).is_some_and(Target::is_production);
        if let Some(value) = production.filter(|value| named && boolean(value) == Some(false)) {
            self.mean(value, "`production` can't be false in an environment that is called production.".to_owned());
        }
        if let Some(value) = environment.filter(|value| text(value).is_some_and(|text| text.contains(['"', '[', ']'])))
        {
            self.mean(
                value,
                "`environment` has a quote or a bracket: use a plain word, since it stands in questions.".to_owned(),
            );
        }
        named || production.and_then(boolean) == Some(true)
    }

    fn object<'t>(
        &mut self,
        name: &str,
        object: &'t Spanned<DeValue<'t>>,
        root: &'t DeTable<'t>,
        production: bool,
        aliases: &mut BTreeSet<&'t str>,
    ) {
        let within = |key: &str| table(object).and_then(|table| lookup(table, &[key]));
        if let Some(value) = within("consent").filter(|value| production && text(value) == Some("none")) {
            self.mean(
                value,
                format!(
                    "[objects.{name}] `consent` can't be none in production. Allowed: {}.",
                    list(&["attest", "accept", "typed"])
                ),
            );
        }
        if let Some(value) = within("alias")
            && let Some(alias) = text(value)
        {
            let taken = alias != name
                && lookup(root, &["objects", alias])
                    .is_some_and(|other| table(other).is_some_and(|other| lookup(other, &["alias"]).is_none()));
            if alias == name {
                self.warn(value, format!("`alias` has no effect: `{name}` is called so already."));
            } else if taken || !aliases.insert(alias) {
                self.mean(value, format!("`alias` must be another name: `{alias}` is what another object is called."));
            }
        }
        let mut seen = BTreeSet::new();
        for (column, value) in within("aliases").and_then(table).into_iter().flat_map(entries) {
            match text(value) {
                Some(alias) if alias == column => {
                    self.warn(value, format!("`aliases` has no effect for `{column}`: it is called so already."));
                }
                Some(alias) if !seen.insert(alias) => {
                    self.mean(value, format!("`aliases` gives two columns the name `{alias}`."));
                }
                _ => {}
            }
        }
        let mut seen = BTreeSet::new();
        for (field, value) in within("scope").map(texts).unwrap_or_default() {
            if !seen.insert(field) {
                self.mean(value, format!("`scope` has `{field}` twice."));
            }
        }
    }

    fn logs(&mut self, root: &DeTable, patterns: &[String], offered: impl Fn(&str) -> bool) {
        for (name, log) in tables(root, "logs") {
            let within = |key: &str| table(log).and_then(|table| lookup(table, &[key]));
            let mut seen = BTreeSet::new();
            for key in ["scope", "time", "kind", "subject", "tags"] {
                if let Some(value) = within(key)
                    && let Some(column) = text(value)
                    && !seen.insert(column)
                {
                    self.mean(
                        value,
                        format!("[logs.{name}] `{key}` is `{column}`, which is something else of this log already."),
                    );
                }
            }
            if let Some(value) = within("object")
                && let Some(object) = text(value)
            {
                if is_system_object(patterns, object) {
                    self.mean(
                        value,
                        format!("[logs.{name}] has no effect: `system-objects` keeps every tool from `{object}`."),
                    );
                } else if !offered(object) {
                    self.warn(value, format!("[logs.{name}] has no effect: no tool is offered `{object}`."));
                }
            }
        }
    }

    /// What verifies a token: one source of keys.
    fn auth(&mut self, root: &DeTable) {
        let Some((_, auth)) = entries(root).find(|(name, _)| *name == "auth") else { return };
        if lookup(root, &["auth", "jwks"]).is_some() == lookup(root, &["auth", "secret"]).is_some() {
            self.mean(auth, format!("[auth] needs one of {}: what verifies a token.", list(&["jwks", "secret"])));
        }
    }

    fn postgres(&mut self, root: &DeTable) {
        if let Some(value) = lookup(root, &["postgres", "system-role"])
            && text(value).is_some_and(|role| role.contains(ACTOR))
        {
            self.mean(value, format!("`system-role` can't hold `{ACTOR}`: the system is no user."));
        }
    }

    fn tools(&mut self, root: &DeTable) {
        let on = |tool: &str| lookup(root, &["tools", tool]);
        let log = tables(root, "logs").next();
        match (on("delete_events"), log) {
            (Some(value), None) if boolean(value) == Some(true) => self.warn(
                value,
                "`delete_events` has no effect: no log is configured. Add [logs.NAME] with `object`, `scope` and `time`.".to_owned(),
            ),
            (Some(value), Some((name, log))) if boolean(value) == Some(false) => {
                let line = line(self.source, value);
                self.warn(log, format!("[logs.{name}] has no effect: `delete_events` is off (line {line})."));
            }
            _ => {}
        }
        let deletes = ["delete_records", "delete_record"];
        let off = |tool: &&str| on(tool).and_then(boolean) == Some(false);
        if deletes.iter().all(off)
            && (log.is_none() || off(&"delete_events"))
            && let Some(value) = lookup(root, &["tools"])
        {
            self.warn(value, "[tools] switches every tool off that deletes: nothing can be deleted.".to_owned());
        }
    }

    fn mean(&mut self, at: &Spanned<DeValue>, message: String) {
        self.put(Weight::Meaning, wrong(self.source, at.span(), message));
    }

    fn warn(&mut self, at: &Spanned<DeValue>, message: String) {
        self.put(Weight::Warning, wrong(self.source, at.span(), message));
    }
}

/// An entry of `[objects]` that says no more than that the object is excluded.
fn only_excludes(object: &Spanned<DeValue>) -> bool {
    table(object).is_some_and(|table| entries(table).all(|(key, _)| key == "exclude"))
}
