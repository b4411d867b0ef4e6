//! The tools: what each is called, what it takes and answers, and where it runs. One list, which the tool
//! list, the door and the dispatch all read.

use crate::Bridge;
use crate::door::{self, Argument};
use crate::json::Json;
use crate::prelude::*;
use crate::refused::Refused;
use crate::settings;
use crate::tools::{Call, Outcome, Settings, Tool, ToolSet};
use crate::{delete_events, delete_record, delete_records, list_objects};

/// One tool.
pub struct Definition {
    /// Its name.
    pub name: &'static str,
    /// Its name for people.
    pub title: &'static str,
    /// What the settings switch it on with.
    pub set: ToolSet,
    /// What it takes.
    pub arguments: &'static [Argument],
    /// What it does and how to use it, in a few lines.
    pub description: fn(&Settings) -> String,
    /// The schema of every answer that is not failed.
    pub output: &'static str,
    /// Whether it deletes.
    pub destructive: bool,
    /// Whether the same call again changes nothing more.
    pub idempotent: bool,
    /// Runs a call whose arguments have passed the door.
    pub run: fn(&mut dyn Bridge, &Settings, &Call, &Json) -> Result<Outcome, Refused>,
}

/// All tools, in the order in which they are listed.
const TOOLS: [Definition; 4] = [delete_records::TOOL, delete_record::TOOL, delete_events::TOOL, list_objects::TOOL];

/// The tools that are on. Pruning takes a log, so without one `delete_events` is not there either.
pub fn offered(settings: &Settings) -> impl Iterator<Item = &'static Definition> {
    const ALL: &[Definition] = &TOOLS;
    let no_log = settings.event_logs.is_empty();
    ALL.iter()
        .filter(|tool| settings.tools.contains(tool.set))
        .filter(move |tool| !(no_log && tool.set == ToolSet::DELETE_EVENTS))
}

impl Definition {
    /// The tool as MCP lists it.
    pub fn listed(&self, settings: &Settings) -> Tool {
        let caps = settings.rules.iter().map(|rule| rule.cap).chain([settings.default_rule.cap]);
        Tool {
            name: self.name.to_owned(),
            title: self.title.to_owned(),
            description: (self.description)(settings),
            input_schema: door::schema(self.arguments, caps.max().unwrap_or(settings::MAX_CAP)).write(),
            output_schema: self.output.to_owned(),
            destructive: self.destructive,
            idempotent: self.idempotent,
        }
    }
}
