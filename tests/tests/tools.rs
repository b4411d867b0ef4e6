//! What a client sees of the tools before it calls one (contract, sections 2, 3 and 7), natively and from the component.

use conformance::policy::Policy;
use conformance::settings;
use delete_records::{check_settings, list_tools};
use deletegate::plugin::Plugin;
use deletegate::tools::{Call, Outcome, Scopes, Settings, Tool};
use futures_executor::block_on;
use serde_json::{Value as Json, json};

fn both() -> Scopes {
    Scopes::DATA_READ | Scopes::DATA_WRITE
}

fn plugin() -> Plugin {
    match Policy::component("delete-records.wasm").unwrap() {
        Policy::Component(plugin) => plugin,
        Policy::Native => unreachable!("a component was asked for"),
    }
}

fn with(json: Json) -> Settings {
    settings::read(json).unwrap()
}

/// Every tool, and the log that one of them needs.
fn all() -> Settings {
    with(json!({
        "tools": ["list_objects", "delete_events", "delete_record", "delete_records"],
        "event_logs": [{ "object": "event", "scope": "stream", "time": "at" }],
    }))
}

fn tools() -> Vec<Tool> {
    list_tools(&all(), both())
}

#[test]
fn tools_are_listed_to_those_who_may_call_them() {
    let settings = with(json!({}));
    let names = |scopes| list_tools(&settings, scopes).into_iter().map(|tool| tool.name).collect::<Vec<_>>();
    assert_eq!(names(both()), ["delete_records"]);
    for too_few in [Scopes::empty(), Scopes::DATA_READ, Scopes::DATA_WRITE] {
        assert!(names(too_few).is_empty(), "{too_few:?}");
    }
    assert!(list_tools(&with(json!({ "tools": [] })), both()).is_empty());
    let names: Vec<String> = tools().into_iter().map(|tool| tool.name).collect();
    assert_eq!(names, ["delete_records", "delete_record", "delete_events", "list_objects"], "in an order of their own");
    let without_a_log = with(json!({ "tools": ["delete_events", "delete_record"] }));
    assert_eq!(list_tools(&without_a_log, both()).len(), 1, "pruning takes a log");
}

#[test]
fn the_component_says_the_same_as_the_library() {
    let (settings, plugin) = (all(), plugin());
    let text = |tools: &[Tool]| format!("{tools:?}");
    assert_eq!(text(&block_on(plugin.list_tools(&settings, both())).unwrap()), text(&list_tools(&settings, both())));
    let wrong = with(json!({ "default_rule": { "cap": 0, "consent": "none" }, "target": { "production": true } }));
    assert_eq!(block_on(plugin.check_settings(&wrong)).unwrap(), check_settings(&wrong));
}

#[test]
fn hints_say_that_it_destroys() {
    for tool in tools() {
        assert_eq!(tool.destructive, tool.name.starts_with("delete_"), "{}", tool.name);
        // A record goes once; a filter meets other records the next time.
        assert_eq!(tool.idempotent, ["delete_record", "list_objects"].contains(&tool.name.as_str()), "{}", tool.name);
    }
}

#[test]
fn schemas_are_closed_and_plain() {
    for tool in tools() {
        for text in [&tool.input_schema, &tool.output_schema] {
            let schema: Json = serde_json::from_str(text).unwrap();
            assert_eq!(schema["type"], "object", "{}: the top is an object", tool.name);
            for word in ["anyOf", "oneOf", "allOf", "not", "if"] {
                assert!(schema.get(word).is_none(), "{}: {word} at the top", tool.name);
            }
            assert_eq!(schema["additionalProperties"], false, "{}", tool.name);
            arrays_have_items(&schema);
            jsonschema::draft202012::meta::validate(&schema).unwrap();
        }
    }
}

fn arrays_have_items(schema: &Json) {
    if schema["type"] == "array" {
        assert!(schema["items"].is_object(), "a list without items: {schema}");
    }
    match schema {
        Json::Object(members) => members.values().for_each(arrays_have_items),
        Json::Array(items) => items.iter().for_each(arrays_have_items),
        _ => {}
    }
}

#[test]
fn the_input_schema_refuses_what_the_door_refuses() {
    let schema: Json = serde_json::from_str(&tools()[0].input_schema).unwrap();
    let validator = jsonschema::draft202012::new(&schema).unwrap();
    let call = |other: Json| {
        let mut call = json!({ "objectName": "crm_task" });
        call.as_object_mut().unwrap().extend(other.as_object().unwrap().clone());
        call
    };
    assert!(validator.is_valid(&call(json!({ "where": {} }))));
    assert!(validator.is_valid(&call(json!({ "recordIds": ["t1", 7, { "a": "1", "b": "2" }], "confirm": true }))));
    for wrong in [
        json!({ "where": "{}" }),
        json!({ "where": [] }),
        json!({ "where": {}, "limit": 1 }),
        json!({ "where": {}, "confirm": "true" }),
        json!({ "where": {}, "confirm": 1 }),
        json!({ "where": {}, "confirm": null }),
        json!({ "recordIds": [] }),
        json!({ "recordIds": "t1" }),
        json!({ "recordIds": [null] }),
        json!({ "recordIds": [1.5] }),
        json!({ "recordIds": vec!["x"; 201] }),
        json!({ "objectName": 5, "where": {} }),
    ] {
        assert!(!validator.is_valid(&call(wrong.clone())), "{wrong}");
    }
    assert!(!validator.is_valid(&json!({ "where": {} })), "objectName is needed");
}

#[test]
fn every_input_schema_refuses_what_its_door_refuses() {
    for (name, right, wrong) in [
        (
            "delete_record",
            vec![
                json!({ "objectName": "o", "recordId": "1" }),
                json!({ "objectName": "o", "keys": { "a": 1 }, "confirm": true }),
            ],
            vec![
                json!({ "recordId": "1" }),
                json!({ "objectName": "o", "recordId": null }),
                json!({ "objectName": "o", "keys": "W1" }),
                json!({ "objectName": "o", "recordIds": ["1"] }),
            ],
        ),
        (
            "delete_events",
            vec![
                json!({ "collection": "orders", "tags": ["eu"], "dryRun": true }),
                json!({ "log": "event", "ids": ["1", 2] }),
            ],
            vec![
                json!({ "collection": 5 }),
                json!({ "collection": "orders", "tags": [] }),
                json!({ "collection": "orders", "tags": "eu" }),
                json!({ "collection": "orders", "since": 1773100800 }),
                json!({ "ids": [] }),
                json!({ "collection": "orders", "repository": "x" }),
            ],
        ),
        (
            "list_objects",
            vec![json!({}), json!({ "objectName": "o" })],
            vec![json!({ "confirm": true }), json!({ "objectName": 1 })],
        ),
    ] {
        let tool = tools().into_iter().find(|tool| tool.name == name).unwrap();
        let schema: Json = serde_json::from_str(&tool.input_schema).unwrap();
        let validator = jsonschema::draft202012::new(&schema).unwrap();
        right.iter().for_each(|call| assert!(validator.is_valid(call), "{name}: {call}"));
        wrong.iter().for_each(|call| assert!(!validator.is_valid(call), "{name}: {call}"));
    }
}

#[test]
fn logs_that_could_not_be_pruned_are_said() {
    let log = |over: Json| {
        let mut log = json!({ "name": "audit", "object": "event", "scope": "stream", "time": "at" });
        log.as_object_mut().unwrap().extend(over.as_object().unwrap().clone());
        log
    };
    for (logs, word) in [
        (json!([log(json!({ "name": "" }))]), "empty"),
        (json!([log(json!({ "scope": "" }))]), "empty"),
        (json!([log(json!({})), log(json!({ "object": "other" }))]), "twice"),
        (json!([log(json!({ "kind": "stream" }))]), "twice"),
        (json!([log(json!({ "object": "sys_event" }))]), "system-objects"),
    ] {
        let said = check_settings(&with(json!({ "event_logs": logs }))).join("\n");
        assert!(said.contains(word), "{logs}: {said:?}");
    }
    assert_eq!(
        check_settings(&with(json!({ "event_logs": [log(json!({})), log(json!({ "name": "two" }))] }))),
        Vec::<String>::new()
    );
}

#[test]
fn a_list_of_objects_stays_under_the_size_that_clients_take() {
    let objects: Vec<String> = (0..600).map(|n| format!("table_{n:04}")).collect();
    let settings = with(json!({ "tools": ["delete_records", "list_objects"], "objects": objects }));
    let fields: Vec<Json> =
        (0..20).map(|n| json!({ "name": format!("a_field_with_a_name_{n}"), "type": "text" })).collect();
    let table = json!({ "fields": fields, "key": ["a_field_with_a_name_0"], "rows": [] });
    for (many, whole) in [(600, 0), (20, 20), (120, 1)] {
        let offered = &objects[..many];
        let tables: serde_json::Map<String, Json> = offered.iter().map(|name| (name.clone(), table.clone())).collect();
        let fixture = conformance::fixture::Fixture::new(json!({ "objects": tables }), json!({})).unwrap();
        let settings = Settings { objects: offered.to_vec(), ..settings.clone() };
        let engine = conformance::engine::Kind::Memory.start(&fixture.tables).unwrap();
        let mut bridge = engine.bridge(&conformance::case::Caller { actor: Some("ana".into()), system: false });
        let call = Call { tool: "list_objects".into(), arguments: "{}".into(), scopes: both(), approval: None };
        let Outcome::Answered(answer) = deletegate::native::call(&mut *bridge, &settings, &call) else {
            panic!("{many}")
        };
        let json: Json = serde_json::from_str(&answer.json).unwrap();
        assert!(!answer.failed && answer.json.len() < 64 * 1024, "{many}: {}", answer.json.len());
        let listed = json["objects"].as_array().unwrap();
        let with_fields = listed.iter().filter(|object| object.get("fields").is_some()).count();
        assert!(
            with_fields >= whole && (with_fields == many) == json.get("truncated").is_none(),
            "{many}: {with_fields}"
        );
        assert!(many == 600 || listed.len() == many, "{many}: names are the last to go");
    }
}

#[test]
fn settings_that_would_lie_or_loop_are_said() {
    let good =
        [json!({}), json!({ "default_rule": { "consent": "none" } }), json!({ "default_rule": { "cap": 1000 } })];
    for settings in good {
        assert_eq!(check_settings(&with(settings.clone())), Vec::<String>::new(), "{settings}");
    }
    for (settings, word) in [
        (json!({ "target": { "production": true }, "default_rule": { "consent": "none" } }), "none"),
        (json!({ "target": { "production": true }, "rules": [{ "object": "x", "consent": "none" }] }), "none"),
        (json!({ "default_rule": { "cap": 0 } }), "cap"),
        (json!({ "default_rule": { "cap": 1001 } }), "cap"),
        (json!({ "rules": [{ "object": "x" }, { "object": "x" }] }), "twice"),
        (json!({ "rules": [{ "object": "" }] }), "object"),
        (json!({ "system_objects": ["a*b"] }), "a*b"),
        (json!({ "system_objects": [""] }), "pattern"),
        (json!({ "target": { "name": "" } }), "name"),
        (json!({ "target": { "environment": "dev]? \"x\"" } }), "bracket"),
    ] {
        let said = check_settings(&with(settings.clone())).join("\n");
        assert!(said.contains(word), "{settings}: {said:?}");
    }
}
