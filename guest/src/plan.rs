//! What a call would do: the records found, for whom and where. Preview, question, digest and loop all
//! speak of this one thing.

use crate::Bridge;
use crate::bridge::{Dependents, Failure, RecordId, Row, Selection};
use crate::digest::Subject;
use crate::id;
use crate::json::Json;
use crate::prelude::*;
use crate::principal::Caller;
use crate::refused::Refused;
use crate::selection::Found;
use crate::sorted;
use crate::text;
use crate::tools::{ObjectRule, Settings};

/// A deletion that is ready to be shown, asked about or carried out.
pub struct Plan<'a> {
    /// The tool that was called.
    pub tool: &'static str,
    /// What the host's owner decided.
    pub settings: &'a Settings,
    /// The rule for the object.
    pub rule: &'a ObjectRule,
    /// Who is calling, and what they may do.
    pub caller: Caller,
    /// The filter is the bare `{}`.
    pub every: bool,
    /// The ids were listed.
    pub by_ids: bool,
    /// Fields whose null records a negation takes in.
    pub null_fields: Vec<String>,
    /// The records to attempt.
    pub found: Found,
    /// What a person types it by.
    pub about: About,
    /// What a person can run instead.
    pub instead: Instead,
}

/// What a deletion is about, in the one word that a person types for it (contract, section 7).
pub enum About {
    /// Records of the object.
    Object,
    /// The one record.
    Record,
    /// What lies in this scope of an event log.
    Scope(String),
}

/// The same records, as the command line selects them for a person.
pub enum Instead {
    /// By a filter.
    Filter {
        /// In the grammar of `where`.
        filter: Json,
        /// Continue behind this id.
        after: Option<Json>,
    },
    /// By ids.
    Ids(Vec<Json>),
}

impl Plan<'_> {
    /// The object's name.
    pub fn object(&self) -> &str {
        &self.caller.access.object
    }

    /// An id as it leaves.
    pub fn id(&self, id: &RecordId) -> Json {
        id::show(&self.caller.access.key, id)
    }

    /// A record's name for people: its label, else its id.
    pub fn name(&self, row: &Row) -> String {
        match row.label.as_deref().filter(|label| !label.trim().is_empty()) {
            Some(label) => label.to_owned(),
            None => id::name(&self.caller.access.key, &row.id),
        }
    }

    /// Records of other objects that the removal would reach, sorted; none where the engine can't tell.
    pub fn dependents(&self, bridge: &mut dyn Bridge) -> Result<Option<Vec<Dependents>>, Refused> {
        if self.found.rows.is_empty() {
            return Ok(Some(Vec::new()));
        }
        let ids = Selection::Ids(self.found.rows.iter().map(|row| row.id.clone()).collect());
        match bridge.aggregate(self.object(), &ids) {
            Ok(totals) => Ok(totals.dependents.map(|dependents| {
                let mut ordered = Vec::with_capacity(dependents.len());
                for entry in dependents.into_iter().filter(|entry| entry.count > 0) {
                    sorted::insert(&mut ordered, entry);
                }
                ordered
            })),
            Err(Failure::Unsupported) => Ok(None),
            Err(failure) => Err(failure.into()),
        }
    }

    /// The digest of this plan.
    pub fn digest(&self, dependents: Option<&[Dependents]>) -> String {
        Subject {
            tool: self.tool,
            object: self.object(),
            identity: &self.caller.principal.identity,
            target: &self.settings.target,
            cap: self.rule.cap,
            every: self.every,
            rows: &self.found.rows,
            dependents: dependents.unwrap_or_default(),
        }
        .digest()
    }

    /// `delegationNarrowed` and `warning`, where the caller acts for another with less than the other's view.
    pub fn narrowing(&self) -> Vec<(String, Json)> {
        match &self.caller.principal.narrowing {
            None => Vec::new(),
            Some(sentence) => vec![
                ("delegationNarrowed".to_owned(), Json::Bool(true)),
                ("warning".to_owned(), Json::Text(text::sentence(sentence))),
            ],
        }
    }

    /// `{name, environment, production}`.
    pub fn target(&self) -> Json {
        crate::answer::target(&self.settings.target)
    }
}
