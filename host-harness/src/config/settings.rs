//! The configuration as the guest's settings: every default is written out here, so that the guest and the guard
//! read one and the same decision.

use super::{Config, DEFAULT_CAP, DEFAULT_ENVIRONMENT, LogConfig, Names, ObjectConfig};
use crate::tools::{Consent, EventLog, ObjectRule, Settings, Target, ToolSet};

/// The target's name where neither the configuration nor the engine has one: a database in memory.
const NAMELESS: &str = "memory";

impl Config {
    /// The settings for the guest.
    ///
    /// `objects` are the objects that may be offered, by the names that tools use; `hand_off` is the start of the
    /// command that a person can run where no person can be asked.
    ///
    /// Defaults (contract, sections 3, 4 and 7): consent `attest`, in production `typed`; `where: {}` may mean
    /// every record outside production only; 200 records a call.
    pub fn settings(&self, objects: Vec<String>, hand_off: Option<String>) -> Settings {
        let names = self.names();
        let name = self.target.name.clone().or_else(|| self.engine.as_ref().map(|engine| engine.name()));
        Settings {
            target: Target {
                name: name.unwrap_or_else(|| NAMELESS.to_owned()),
                environment: self.target.environment.clone().unwrap_or_else(|| DEFAULT_ENVIRONMENT.to_owned()),
                production: self.target.production,
            },
            tools: self.tool_set(),
            objects,
            default_rule: self.rule(&names, "", &ObjectConfig::default()),
            rules: self
                .objects
                .iter()
                .filter(|(name, _)| names.offers(name))
                .map(|(name, object)| self.rule(&names, name, object))
                .collect(),
            event_logs: self
                .logs
                .iter()
                .filter(|(_, log)| names.offers(&log.object))
                .map(|(name, log)| event_log(&names, name, log))
                .collect(),
            system_objects: self.system_objects.clone(),
            hand_off,
        }
    }

    fn tool_set(&self) -> ToolSet {
        let tools = &self.tools;
        [
            (tools.delete_records, ToolSet::DELETE_RECORDS),
            (tools.delete_record, ToolSet::DELETE_RECORD),
            (tools.delete_events, ToolSet::DELETE_EVENTS),
            (tools.list_objects, ToolSet::LIST_OBJECTS),
        ]
        .into_iter()
        .filter(|(on, _)| *on)
        .fold(ToolSet::empty(), |set, (_, tool)| set | tool)
    }

    fn rule(&self, names: &Names, name: &str, object: &ObjectConfig) -> ObjectRule {
        let production = self.target.production;
        ObjectRule {
            object: names.object(name).to_owned(),
            consent: object.consent.unwrap_or(if production { Consent::Typed } else { Consent::Attest }),
            cap: object.cap.unwrap_or(DEFAULT_CAP),
            scope: object.scope.iter().map(|field| names.field(name, field).to_owned()).collect(),
            unfiltered: object.unfiltered.unwrap_or(!production),
        }
    }
}

/// A log, by the names that tools use.
fn event_log(names: &Names, name: &str, log: &LogConfig) -> EventLog {
    let field = |field: &String| names.field(&log.object, field).to_owned();
    EventLog {
        name: name.to_owned(),
        object: names.object(&log.object).to_owned(),
        scope: field(&log.scope),
        time: field(&log.time),
        kind: log.kind.as_ref().map(field),
        subject: log.subject.as_ref().map(field),
        tags: log.tags.as_ref().map(field),
    }
}
