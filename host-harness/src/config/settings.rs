//! The configuration as the guest's settings: every default is written out here, so that the guest and the guard
//! read one and the same decision.

use super::{Config, DEFAULT_CAP, DEFAULT_ENVIRONMENT, ObjectConfig};
use crate::tools::{Consent, ObjectRule, Settings, Target, ToolSet};

/// The target's name where neither the configuration nor the engine has one: a database in memory.
const NAMELESS: &str = "memory";

impl Config {
    /// The settings for the guest.
    ///
    /// `objects` are the objects that may be offered, by the engine's own names; `hand_off` is the start of the
    /// command that a person can run where no person can be asked.
    ///
    /// Defaults (contract, sections 3, 4 and 7): consent `attest`, in production `typed`; `where: {}` may mean
    /// every record outside production only; 200 records a call.
    pub fn settings(&self, objects: Vec<String>, hand_off: Option<String>) -> Settings {
        let name = self.target.name.clone().or_else(|| self.engine.as_ref().map(|engine| engine.name()));
        Settings {
            target: Target {
                name: name.unwrap_or_else(|| NAMELESS.to_owned()),
                environment: self.target.environment.clone().unwrap_or_else(|| DEFAULT_ENVIRONMENT.to_owned()),
                production: self.target.production,
            },
            tools: ToolSet::DELETE_RECORDS,
            objects,
            default_rule: self.rule("", &ObjectConfig::default()),
            rules: self.objects.iter().map(|(name, object)| self.rule(name, object)).collect(),
            event_logs: Vec::new(),
            system_objects: self.system_objects.clone(),
            hand_off,
        }
    }

    fn rule(&self, name: &str, object: &ObjectConfig) -> ObjectRule {
        let production = self.target.production;
        ObjectRule {
            object: name.to_owned(),
            consent: object.consent.unwrap_or(if production { Consent::Typed } else { Consent::Attest }),
            cap: object.cap.unwrap_or(DEFAULT_CAP),
            scope: object.scope.clone(),
            unfiltered: object.unfiltered.unwrap_or(!production),
        }
    }
}
