//! What the arguments of a call allow, read by the host itself.

use std::collections::HashSet;
use std::sync::OnceLock;

use delete_records::bridge::{Field, RecordId, Scalar, Selection};
use delete_records::id;
use delete_records::json::Json;
use delete_records::refused::Refused;
use delete_records::tools::{EventLog, Scopes, Settings, ToolSet};

use super::rows::Rows;
use super::scope;
use crate::config::is_system_object;
use crate::plugin::Request;

/// Characters of a name or an id that a person is asked to type; for longer ones it is `records` (contract, section 7).
const TYPED_LIMIT: usize = 64;

/// What one call may do.
pub(super) struct Intent {
    /// The one object that it may turn to; none for a list of them all.
    object: Option<String>,
    /// `confirm`, where it is given.
    pub(super) confirm: Option<bool>,
    /// `dryRun` is given, and is not `false`.
    pub(super) dry_run: bool,
    chosen: Chosen,
}

/// What the arguments of one tool choose: the object, where they name one, and which of its records.
type ReadArguments = fn(&Settings, &Json) -> Option<(Option<String>, Chosen)>;

/// How an id is read by the key's fields.
type ReadId = fn(&[Field], &Json, &str) -> Result<RecordId, Refused>;

enum Chosen {
    /// `list_objects`: no record at all.
    Nothing,
    /// `where`: any record of the object that is read.
    Filtered,
    /// `collection`: what lies in this scope of a log.
    Scoped { field: String, value: String },
    /// `recordId` or `keys`: this record, and no other.
    One(Listed),
    /// `recordIds` or `ids`: these, and no other.
    Many(Listed),
}

/// Ids as they were sent. They are read once the key's fields are known.
struct Listed {
    ids: Vec<Json>,
    /// How one of them is read.
    read: ReadId,
    normal: OnceLock<HashSet<RecordId>>,
}

impl Intent {
    /// Reads the arguments. None where they allow nothing, whatever the reason: the guest has to find it
    /// and say it, without the bridge.
    pub(super) fn read(settings: &Settings, request: &Request) -> Option<Intent> {
        let both = Scopes::DATA_READ | Scopes::DATA_WRITE;
        let (set, read): (_, ReadArguments) = match request.tool.as_str() {
            "delete_records" => (ToolSet::DELETE_RECORDS, records),
            "delete_record" => (ToolSet::DELETE_RECORD, record),
            "delete_events" => (ToolSet::DELETE_EVENTS, events),
            "list_objects" => (ToolSet::LIST_OBJECTS, objects),
            _ => return None,
        };
        if settings.tools & set != set || request.scopes & both != both {
            return None;
        }
        let arguments = Json::read(&request.arguments).ok()?;
        let (object, chosen) = read(settings, &arguments)?;
        if object.as_ref().is_some_and(|object| is_system_object(&settings.system_objects, object)) {
            return None;
        }
        let confirm = match arguments.get("confirm") {
            None => None,
            Some(Json::Bool(confirm)) => Some(*confirm),
            Some(_) => return None,
        };
        let dry_run = !matches!(arguments.get("dryRun"), None | Some(Json::Bool(false)));
        Some(Intent { object, confirm, dry_run, chosen })
    }

    /// The object's name; empty for a list of them all.
    pub(super) fn object(&self) -> &str {
        self.object.as_deref().unwrap_or_default()
    }

    /// Whether the call may turn to this object: the one that it names, or any that is offered where it lists them.
    pub(super) fn turns_to(&self, settings: &Settings, object: &str) -> bool {
        match &self.object {
            Some(named) => named == object,
            None => {
                settings.objects.iter().any(|offered| offered == object)
                    && !is_system_object(&settings.system_objects, object)
            }
        }
    }

    /// Whether the call has anything to do with records.
    pub(super) fn is_about_records(&self) -> bool {
        !matches!(self.chosen, Chosen::Nothing)
    }

    /// Most records that the call reads and removes.
    pub(super) fn most(&self, cap: u32) -> u32 {
        match self.chosen {
            Chosen::Nothing => 0,
            Chosen::One(_) => 1,
            Chosen::Filtered | Chosen::Scoped { .. } | Chosen::Many(_) => cap,
        }
    }

    /// Whether the arguments leave room for this record: with a filter any, with ids those that are listed.
    pub(super) fn names(&self, key: &[Field], record: &[Scalar]) -> bool {
        match &self.chosen {
            Chosen::Nothing => false,
            Chosen::Filtered | Chosen::Scoped { .. } => true,
            Chosen::One(listed) | Chosen::Many(listed) => listed.has(key, record),
        }
    }

    /// Whether a caller who may not list may still read this: the one record that `delete_record` is about.
    pub(super) fn is_the_one(&self, key: &[Field], selection: &Selection) -> bool {
        match (&self.chosen, selection) {
            (Chosen::One(listed), Selection::Ids(ids)) => ids.iter().all(|id| listed.has(key, id)),
            _ => false,
        }
    }

    /// Whether what is read lies in the scope that the arguments name, where they name one.
    pub(super) fn stays_in_scope(&self, fields: &[Field], selection: &Selection) -> bool {
        let Chosen::Scoped { field, value } = &self.chosen else { return true };
        let field = fields.iter().find(|known| known.name == *field);
        field.is_some_and(|field| scope::is_pinned(field, value, selection))
    }

    /// The scope's value, where the arguments name one.
    pub(super) fn scope(&self) -> Option<&str> {
        match &self.chosen {
            Chosen::Scoped { value, .. } => Some(value),
            _ => None,
        }
    }

    /// What a person has to type: the id of a single record, else what it is about and how many; `records` in
    /// place of a name that is long or has anything but printable ASCII.
    pub(super) fn expected(&self, rows: &Rows) -> String {
        let plain = |name: &str| {
            name.len() <= TYPED_LIMIT
                && name.bytes().all(|byte| (0x20..=0x7e).contains(&byte))
                && !name.trim().is_empty()
        };
        let count = rows.len();
        let name = match (&self.chosen, rows.iter().next()) {
            (Chosen::One(_), Some(row)) => match id::typed(&row.id) {
                id if plain(&id) => return id,
                _ => "",
            },
            _ => self.scope().unwrap_or(self.object()),
        };
        format!("{} {count}", if plain(name) { name } else { "records" })
    }
}

impl Listed {
    fn new(ids: &[Json], read: ReadId) -> Listed {
        Listed { ids: ids.to_vec(), read, normal: OnceLock::new() }
    }

    fn has(&self, key: &[Field], record: &[Scalar]) -> bool {
        self.normal
            .get_or_init(|| {
                let ids = self.ids.iter().filter_map(|listed| (self.read)(key, listed, "").ok());
                ids.map(|id| id::normal(&id)).collect()
            })
            .contains(&id::normal(record))
    }
}

fn text(arguments: &Json, name: &str) -> Option<String> {
    match arguments.get(name)? {
        Json::Text(text) => Some(text.clone()),
        _ => None,
    }
}

fn records(_: &Settings, arguments: &Json) -> Option<(Option<String>, Chosen)> {
    let chosen = match (arguments.get("where"), arguments.get("recordIds")) {
        (Some(Json::Object(_)), None) => Chosen::Filtered,
        (None, Some(Json::List(ids))) => Chosen::Many(Listed::new(ids, id::read)),
        _ => return None,
    };
    Some((Some(text(arguments, "objectName")?), chosen))
}

fn record(_: &Settings, arguments: &Json) -> Option<(Option<String>, Chosen)> {
    let one = match (arguments.get("recordId"), arguments.get("keys")) {
        (Some(id), None) => Listed::new(std::slice::from_ref(id), id::read),
        (None, Some(keys)) => Listed::new(std::slice::from_ref(keys), id::read_keys),
        _ => return None,
    };
    Some((Some(text(arguments, "objectName")?), Chosen::One(one)))
}

fn events(settings: &Settings, arguments: &Json) -> Option<(Option<String>, Chosen)> {
    let log: &EventLog = match (arguments.get("log"), settings.event_logs.as_slice()) {
        (Some(Json::Text(name)), logs) => logs.iter().find(|log| log.name == *name)?,
        (None, [log]) => log,
        _ => return None,
    };
    let narrowed = ["kind", "subject", "tags", "since", "until"].iter().any(|name| arguments.get(name).is_some());
    let chosen = match (arguments.get("collection"), arguments.get("ids")) {
        (Some(Json::Text(value)), None) => Chosen::Scoped { field: log.scope.clone(), value: value.clone() },
        (None, Some(Json::List(ids))) if !narrowed => Chosen::Many(Listed::new(ids, id::read)),
        _ => return None,
    };
    Some((Some(log.object.clone()), chosen))
}

fn objects(settings: &Settings, arguments: &Json) -> Option<(Option<String>, Chosen)> {
    let object = match arguments.get("objectName") {
        None => None,
        Some(Json::Text(name)) if settings.objects.contains(name) => Some(name.clone()),
        Some(_) => return None,
    };
    Some((object, Chosen::Nothing))
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
            tool: "delete_records".into(),
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
