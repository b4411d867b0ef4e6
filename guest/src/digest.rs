//! What a preview, a question and its approval are about, as one hash (contract, section 6): the same
//! caller, target, records and dependents give the same digest, and any difference gives another.

use core::fmt::Write;

use sha2::{Digest, Sha256};

use crate::bridge::{Dependents, Effect, Identity, Row};
use crate::prelude::*;
use crate::principal;
use crate::scalar;
use crate::tools::Target;

/// What is hashed.
pub struct Subject<'a> {
    /// The tool's name.
    pub tool: &'a str,
    /// The object's name.
    pub object: &'a str,
    /// Who is calling.
    pub identity: &'a Identity,
    /// Where the records are.
    pub target: &'a Target,
    /// The rule's cap.
    pub cap: u32,
    /// The filter is the bare `{}`.
    pub every: bool,
    /// The records to attempt, in order.
    pub rows: &'a [Row],
    /// What would be reached besides, sorted; empty where the engine can't tell.
    pub dependents: &'a [Dependents],
}

impl Subject<'_> {
    /// `sha256:` and 64 hexadecimal digits, over items of which each is preceded by its length in bytes
    /// (eight bytes, the highest first).
    pub fn digest(&self) -> String {
        let mut hash = Sha256::new();
        let mut item = |text: &str| {
            hash.update((text.len() as u64).to_be_bytes());
            hash.update(text.as_bytes());
        };
        let flag = |value| if value { "true" } else { "false" };
        let (kind, actor) = principal::parts(self.identity);
        for text in ["deletegate-1", self.tool, self.object, kind, actor, &self.target.name, &self.target.environment] {
            item(text);
        }
        item(flag(self.target.production));
        item(&self.cap.to_string());
        item(flag(self.every));
        for row in self.rows {
            row.id.iter().for_each(|value| item(&scalar::show(value)));
            match &row.revision {
                Some(revision) => ["1", revision].into_iter().for_each(&mut item),
                None => item("0"),
            }
        }
        for dependents in self.dependents {
            item(&dependents.object);
            item(effect_name(dependents.effect));
            item(&dependents.count.to_string());
        }
        hash.finalize().iter().fold("sha256:".to_owned(), |mut text, byte| {
            // Writing to a string has no way to fail.
            let _ = write!(text, "{byte:02x}");
            text
        })
    }
}

/// An effect as it stands in answers.
pub fn effect_name(effect: Effect) -> &'static str {
    match effect {
        Effect::Cascade => "cascade",
        Effect::Restrict => "restrict",
        Effect::Detach => "detach",
    }
}
