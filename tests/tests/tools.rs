//! What a client sees of the tools before it calls one (contract, sections 2, 3 and 7), natively and from the component.

use conformance::policy::Policy;
use conformance::settings;
use delete_records::{check_settings, list_tools};
use deletegate::plugin::Plugin;
use deletegate::tools::{Scopes, Settings, Tool};
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

fn tools() -> Vec<Tool> {
    list_tools(&with(json!({})), both())
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
}

#[test]
fn the_component_says_the_same_as_the_library() {
    let (settings, plugin) = (with(json!({})), plugin());
    let text = |tools: &[Tool]| format!("{tools:?}");
    assert_eq!(text(&block_on(plugin.list_tools(&settings, both())).unwrap()), text(&list_tools(&settings, both())));
    let wrong = with(json!({ "default_rule": { "cap": 0, "consent": "none" }, "target": { "production": true } }));
    assert_eq!(block_on(plugin.check_settings(&wrong)).unwrap(), check_settings(&wrong));
}

#[test]
fn hints_say_that_it_destroys() {
    for tool in tools() {
        assert!(tool.destructive, "{}", tool.name);
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
