//! What the arguments of a call allow, read by the host itself.

use std::collections::HashSet;
use std::sync::OnceLock;

use delete_records::bridge::{Field, RecordId, Scalar};
use delete_records::id;
use delete_records::json::Json;
use delete_records::tools::{Scopes, Settings, ToolSet};

use crate::config::is_system_object;
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
        if is_system_object(&settings.system_objects, object) {
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

#[cfg(test)]
mod tests {
    use delete_records::bridge::FieldType;
    use delete_records::tools::{Consent, ObjectRule, Target};

    use super::*;
    use crate::plugin::Cancel;

    fn intent(arguments: &str) -> Option<Intent> {
        let rule =
            ObjectRule { object: String::new(), consent: Consent::Attest, cap: 10, scope: vec![], unfiltered: true };
        let settings = Settings {
            target: Target { name: "test".into(), environment: "dev".into(), production: false },
            tools: ToolSet::DELETE_RECORDS,
            objects: vec![],
            default_rule: rule,
            rules: vec![],
            event_logs: vec![],
            system_objects: ["sys_*", "*_log", "information_schema.*", "users"].map(String::from).into(),
            hand_off: None,
        };
        let request = Request {
            tool: DELETE_RECORDS.into(),
            arguments: arguments.into(),
            scopes: Scopes::DATA_READ | Scopes::DATA_WRITE,
            approval: None,
            cancel: Cancel::default(),
        };
        Intent::read(&settings, &request)
    }

    fn listed(ids: &str) -> Intent {
        intent(&format!(r#"{{"objectName":"o","recordIds":{ids}}}"#)).unwrap()
    }

    fn key(types: &[(&str, FieldType)]) -> Vec<Field> {
        types.iter().map(|(name, type_)| Field { name: (*name).into(), type_: *type_, nullable: false }).collect()
    }

    #[test]
    fn listed_ids_are_compared_by_the_key_s_types() {
        let integer = key(&[("id", FieldType::Integer)]);
        let ids = listed(r#"[7, "8", "009", 9007199254740993, 10.0]"#);
        for (id, named) in [(7, true), (8, true), (9, false), (9_007_199_254_740_993, true), (10, false)] {
            assert_eq!(ids.names(&integer, &[Scalar::Integer(id)]), named, "{id}");
        }
        let uuid = key(&[("id", FieldType::Uuid)]);
        let ids = listed(r#"["0B6DD3E4-3F1C-4D3E-9A51-6F0B8F4A2C11"]"#);
        assert!(ids.names(&uuid, &[Scalar::Text("0b6dd3e4-3f1c-4d3e-9a51-6f0b8f4a2c11".into())]));
        let text = key(&[("id", FieldType::Text)]);
        let ids = listed(r#"["t1", " t2"]"#);
        for (id, named) in [("t1", true), ("T1", false), ("t2", false), (" t2", true)] {
            assert_eq!(ids.names(&text, &[Scalar::Text(id.into())]), named, "{id}");
        }
    }

    #[test]
    fn a_composite_id_is_named_by_its_fields() {
        let key = key(&[("warehouse", FieldType::Text), ("sku", FieldType::Integer)]);
        let ids = listed(r#"[{"sku":1,"warehouse":"W1"},{"warehouse":"W2"},"W3"]"#);
        let id = |warehouse: &str, sku| [Scalar::Text(warehouse.into()), Scalar::Integer(sku)];
        assert!(ids.names(&key, &id("W1", 1)));
        for (warehouse, sku) in [("W1", 2), ("W2", 1), ("W3", 1)] {
            assert!(!ids.names(&key, &id(warehouse, sku)), "{warehouse}");
        }
    }

    #[test]
    fn system_objects_are_known_in_any_case_and_schema() {
        let opens = |object: &str| intent(&format!(r#"{{"objectName":"{object}","where":{{}}}}"#)).is_some();
        for object in
            ["sys_x", "SYS_X", "main.sys_x", "audit_log", "information_schema.tables", "Users", "public.users"]
        {
            assert!(!opens(object), "{object}");
        }
        for object in ["my_sys_x", "logs", "users2", "tables"] {
            assert!(opens(object), "{object}");
        }
    }
}
