//! Who sees what: objects, callers, predicates.

use deletegate::bridge::{Bridge, FieldType, Identity, Removal, Selection, Verbs};
use futures_executor::block_on;

use crate::support::*;

const CRM: &str = "
    CREATE TABLE crm_task (id INTEGER PRIMARY KEY, owner TEXT, status TEXT NOT NULL, at DATETIME, price DECIMAL, tag);
    INSERT INTO crm_task VALUES (1, 'ana', 'open', 0, 1, NULL), (2, 'bo', 'open', 0, 1, NULL), (3, 'ana', 'locked', 0, 1, NULL),
        (4, NULL, 'open', 0, 1, NULL);
    CREATE TABLE account (code TEXT PRIMARY KEY, n INTEGER AS (1));
    CREATE TABLE keyless (a TEXT);
    CREATE TABLE unknown_key (a PRIMARY KEY);
    CREATE TABLE measured (a REAL PRIMARY KEY);
    CREATE TABLE sys_user (id INTEGER PRIMARY KEY);
    CREATE TABLE Pg_stat (id INTEGER PRIMARY KEY AUTOINCREMENT);
    CREATE VIEW open_task AS SELECT * FROM crm_task WHERE status = 'open';
    CREATE VIRTUAL TABLE found USING fts5 (body);";

const RULES: &str = "
    [objects.crm_task]
    visible = \"owner = :actor OR :actor = 'root' -- theirs, and root's\"
    removable = \"status <> 'locked'\"";

#[test]
fn objects_are_tables_with_a_key() {
    let sqlite = serve(CRM);
    assert_eq!(sqlite.objects().unwrap(), ["account", "crm_task"]);
    let mut bridge = system(&sqlite);
    for object in [
        "keyless",
        "unknown_key",
        "measured",
        "sys_user",
        "Pg_stat",
        "open_task",
        "found",
        "found_data",
        "sqlite_sequence",
        "sqlite_schema",
        "sqlite_master",
        "nothing",
        "",
        "CRM_TASK",
        "main.crm_task",
        "crm_task ",
        "pragma_table_list",
        "json_each",
    ] {
        let principal = block_on(bridge.resolve_principal(object)).unwrap();
        assert_eq!((principal.identity, principal.access), (Identity::System, None), "{object}");
        assert_eq!(
            code(page(&mut bridge, object, &Selection::Every, None, 5)),
            ("OBJECT_NOT_FOUND".to_owned(), 404),
            "{object}"
        );
        assert_eq!(code(block_on(bridge.aggregate(object, &Selection::Every))).1, 404, "{object}");
        assert_eq!(code(remove(&mut bridge, object, &[int(1)])).1, 404, "{object}");
    }
}

#[test]
fn access_names_key_fields_and_verbs() {
    let sqlite = serve(CRM);
    let access = block_on(system(&sqlite).resolve_principal("crm_task")).unwrap().access.unwrap();
    assert_eq!(access.object, "crm_task");
    let fields: Vec<(&str, FieldType, bool)> =
        access.fields.iter().map(|field| (field.name.as_str(), field.type_, field.nullable)).collect();
    assert_eq!(
        fields,
        [
            ("id", FieldType::Integer, false),
            ("owner", FieldType::Text, true),
            ("status", FieldType::Text, false),
            ("at", FieldType::Instant, true),
            ("price", FieldType::Decimal, true),
            ("tag", FieldType::Opaque, true),
        ]
    );
    assert_eq!(access.key.iter().map(|field| field.name.as_str()).collect::<Vec<_>>(), ["id"]);
    assert_eq!(access.verbs, Verbs::LIST | Verbs::REMOVE);
    assert!(!access.reversible);
    // SQLite lets such a key be null; its record is invisible, so the field can't be.
    let access = block_on(system(&sqlite).resolve_principal("account")).unwrap().access.unwrap();
    assert!(!access.key[0].nullable && !access.fields[0].nullable);
}

#[test]
fn nobody_known_reads_nothing_and_removes_nothing() {
    let sqlite = serve(CRM);
    let mut bridge = anonymous(&sqlite);
    let principal = block_on(bridge.resolve_principal("crm_task")).unwrap();
    assert_eq!((principal.identity, principal.access), (Identity::Anonymous, None));
    assert_eq!(code(page(&mut bridge, "crm_task", &Selection::Every, None, 5)), ("UNAUTHENTICATED".to_owned(), 401));
    assert_eq!(code(block_on(bridge.aggregate("crm_task", &Selection::Every))).1, 401);
    assert_eq!(code(remove(&mut bridge, "crm_task", &[int(1)])).1, 401);
    assert_eq!(every(&mut system(&sqlite), "crm_task").len(), 4);
}

#[test]
fn a_user_sees_and_removes_what_the_predicates_say() {
    let sqlite = configured(CRM, RULES);
    let mut ana = user(&sqlite, "ana");
    assert_eq!(every(&mut ana, "crm_task"), [[int(1)], [int(3)]]);
    assert_eq!(every(&mut user(&sqlite, "bo"), "crm_task"), [[int(2)]]);
    assert_eq!(every(&mut user(&sqlite, "root"), "crm_task").len(), 4);
    assert_eq!(every(&mut user(&sqlite, "' OR 1=1 --"), "crm_task").len(), 0);
    assert_eq!(every(&mut system(&sqlite), "crm_task").len(), 4);
    assert_eq!(by_ids(&mut ana, "crm_task", &[vec![int(1)], vec![int(2)]]), [[int(1)]]);
    assert_eq!(remove(&mut ana, "crm_task", &[int(2)]).unwrap(), Removal::Absent);
    assert_eq!(code(remove(&mut ana, "crm_task", &[int(3)])), ("PERMISSION_DENIED".to_owned(), 403));
    assert_eq!(remove(&mut ana, "crm_task", &[int(1)]).unwrap(), Removal::Removed);
    // The system is above the predicates; the database's own rules hold for it too.
    assert_eq!(remove(&mut system(&sqlite), "crm_task", &[int(3)]).unwrap(), Removal::Removed);
    assert_eq!(every(&mut system(&sqlite), "crm_task"), [[int(2)], [int(4)]]);
}

#[test]
fn a_record_that_a_user_cannot_see_hides_its_revision_too() {
    let sqlite = configured(CRM, RULES);
    assert_eq!(block_on(user(&sqlite, "ana").remove("crm_task", &[int(2)], Some("x"))).unwrap(), Removal::Absent);
}

#[test]
fn a_predicate_may_ask_other_tables() {
    let sqlite = configured(
        "CREATE TABLE account (id INTEGER PRIMARY KEY, owner TEXT);
         CREATE TABLE note (id INTEGER PRIMARY KEY, account INTEGER);
         INSERT INTO account VALUES (1, 'ana'), (2, 'bo');
         INSERT INTO note VALUES (1, 1), (2, 2), (3, 1);",
        "[objects.note]\nvisible = \"account IN (SELECT id FROM account WHERE owner = :actor) AND note.id < 3\"",
    );
    assert_eq!(every(&mut user(&sqlite, "ana"), "note"), [[int(1)]]);
    assert_eq!(remove(&mut user(&sqlite, "ana"), "note", &[int(1)]).unwrap(), Removal::Removed);
}
