//! What the arguments of a call allow, read by the host itself.

use std::collections::HashSet;
use std::sync::OnceLock;

use delete_records::bridge::{Field, RecordId, Scalar};
use delete_records::id;
use delete_records::json::Json;
use delete_records::tools::{Scopes, Settings, ToolSet};

use crate::plugin::Request;

/// The tool that many records are removed with.
const DELETE_RECORDS: &str = "delete_records";

/// What one call may do.
pub(super) struct Intent {
    /// The one object that it may turn to.
    pub(super) object: String,
    /// `confirm`, where it is given.
    pub(super) confirm: Option<bool>,
    /// `dryRun` is given, and is not `false`.
    pub(super) dry_run: bool,
    chosen: Chosen,
}

enum Chosen {
    /// `where`: any record of the object that is read.
    Filtered,
    /// `recordIds`: these, and no other. They are read once the key's fields are known.
    Listed { ids: Vec<Json>, normal: OnceLock<HashSet<RecordId>> },
}

impl Intent {
    /// Reads the arguments. None where they allow nothing, whatever the reason: the guest has to find it
    /// and say it, without the bridge.
    pub(super) fn read(settings: &Settings, request: &Request) -> Option<Intent> {
        let both = Scopes::DATA_READ | Scopes::DATA_WRITE;
        let on = settings.tools & ToolSet::DELETE_RECORDS == ToolSet::DELETE_RECORDS;
        if request.tool != DELETE_RECORDS || !on || request.scopes & both != both {
            return None;
        }
        let arguments = Json::read(&request.arguments).ok()?;
        let Json::Text(object) = arguments.get("objectName")? else { return None };
        if is_system_object(settings, object) {
            return None;
        }
        let chosen = match (arguments.get("where"), arguments.get("recordIds")) {
            (Some(Json::Object(_)), None) => Chosen::Filtered,
            (None, Some(Json::List(ids))) => Chosen::Listed { ids: ids.clone(), normal: OnceLock::new() },
            _ => return None,
        };
        let confirm = match arguments.get("confirm") {
            None => None,
            Some(Json::Bool(confirm)) => Some(*confirm),
            Some(_) => return None,
        };
        let dry_run = !matches!(arguments.get("dryRun"), None | Some(Json::Bool(false)));
        Some(Intent { object: object.clone(), confirm, dry_run, chosen })
    }

    /// Whether the arguments leave room for this record: with a filter any, with a list those on it.
    pub(super) fn names(&self, key: &[Field], record: &[Scalar]) -> bool {
        match &self.chosen {
            Chosen::Filtered => true,
            Chosen::Listed { ids, normal } => normal
                .get_or_init(|| ids.iter().filter_map(|listed| id::read(key, listed, "").ok()).collect())
                .contains(&id::normal(record)),
        }
    }
}

/// Whether no tool touches this object: its name, whole or after its last dot, matches a pattern in any case
/// (contract, section 3).
fn is_system_object(settings: &Settings, object: &str) -> bool {
    let object = object.to_lowercase();
    let last = object.rsplit('.').next().unwrap_or_default();
    settings.system_objects.iter().any(|pattern| {
        let pattern = pattern.to_lowercase();
        matches(&pattern, &object) || matches(&pattern, last)
    })
}

/// `*` stands for any text, at the beginning and at the end of a pattern.
fn matches(pattern: &str, name: &str) -> bool {
    match (pattern.strip_prefix('*'), pattern.strip_suffix('*')) {
        (_, Some("")) => true,
        (Some(inner), Some(_)) => name.contains(inner.trim_end_matches('*')),
        (Some(end), None) => name.ends_with(end),
        (None, Some(start)) => name.starts_with(start),
        (None, None) => name == pattern,
    }
}
