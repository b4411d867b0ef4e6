//! Ids that change on their way, and keys that are half given.

use serde_json::{Value as Json, json};

use crate::engine::Engine;
use crate::expect::Done;
use crate::place::Place;
use crate::tables::{DEVICES, LEDGER, STOCK};

const ODD: &str = "9007199254740993";

fn ledger(id: &str) -> String {
    format!(r#"{{"objectName":"ledger","recordIds":[{id}],"confirm":true}}"#)
}

/// The id goes back as it was shown, as a string and as a number, by `delete_record` and in a filter.
pub fn b12_ids_above_2_53<E: Engine>() {
    for (tool, arguments) in [
        ("delete_records", ledger("SHOWN")),
        ("delete_records", ledger(ODD)),
        ("delete_record", r#"{"objectName":"ledger","recordId":SHOWN,"confirm":true}"#.to_owned()),
        ("delete_record", format!(r#"{{"objectName":"ledger","recordId":{ODD},"confirm":true}}"#)),
        ("delete_records", r#"{"objectName":"ledger","where":{"id":SHOWN},"confirm":true}"#.to_owned()),
        ("delete_records", format!(r#"{{"objectName":"ledger","where":{{"id":{{"$in":[{ODD}]}}}},"confirm":true}}"#)),
    ] {
        let place = Place::<E>::tables(LEDGER);
        let both = json!({ "objectName": "ledger", "where": { "id": { "$between": ["9007199254740992", ODD] } } });
        let preview = place.call("ana", both);
        assert_eq!(preview.sample(), &json!(["9007199254740992", "9007199254740993"]));
        let shown = preview.sample()[1].to_string();
        let said = place.call_text("ana", tool, arguments.replace("SHOWN", &shown));
        match tool {
            "delete_record" => {
                let okay = json!({ "status": "okay", "object": "ledger", "recordId": ODD, "warnings": [] });
                assert_eq!(said.text, okay.to_string());
            }
            _ => Done { deleted: 1, ..Done::default() }.is("ledger", &said),
        }
        assert_eq!(place.left("ledger"), ["9007199254740991", "9007199254740992", "9007199254740994"], "{arguments}");
    }
}

pub fn b12_numbers_that_are_no_integers<E: Engine>() {
    let place = Place::<E>::tables(LEDGER);
    let message = "recordIds[0] is a number that is no integer of 64 bits; send the id as a string, exactly as it was \
                   shown. Nothing was deleted.";
    for id in ["9007199254740993.0", "9.007199254740993e15", "9007199254740993e0", "9223372036854775808"] {
        let said = place.call_text("ana", "delete_records", ledger(id));
        said.refuses("VALIDATION_FAILED", 400, message);
        let filter = format!(r#"{{"objectName":"ledger","where":{{"id":{id}}},"confirm":true}}"#);
        let said = place.call_text("ana", "delete_records", filter);
        assert_eq!((&said.json["error"]["code"], said.failed), (&json!("INVALID_FILTER"), true), "{}", said.text);
    }
    for id in ["\"9007199254740993.0\"", "\"9.007199254740993e15\"", "\"+9007199254740993\"", "\" 9007199254740993\""] {
        let said = place.call_text("ana", "delete_records", ledger(id));
        assert_eq!(said.json["error"]["code"], "VALIDATION_FAILED", "{id}: {}", said.text);
    }
    assert_eq!(place.left("ledger").len(), 4);
    // A uuid is the same in either case.
    let place = Place::<E>::tables(DEVICES);
    let upper =
        json!({ "objectName": "devices", "recordIds": ["0B6DD3E4-3F1C-4D3E-9A51-6F0B8F4A2C11"], "confirm": true });
    Done { deleted: 1, ..Done::default() }.is("devices", &place.call("ana", upper));
    assert_eq!(place.left("devices"), ["ffffffff-0000-4000-8000-000000000001"]);
}

pub fn b30_composite_keys<E: Engine>() {
    let place = Place::<E>::tables(STOCK);
    let left = |place: &Place<E>| place.engine.column("SELECT warehouse || sku FROM stock ORDER BY warehouse, sku");
    let refused = |tool: &str, arguments: Json, names_key: bool| {
        let said = place.call_tool("ana", tool, arguments.clone());
        let error = &said.json["error"];
        assert_eq!((&error["code"], &error["status"]), (&json!("VALIDATION_FAILED"), &json!(400)), "{arguments}");
        let message = error["message"].as_str().unwrap();
        assert_eq!(message.contains(r#""warehouse", "sku""#), names_key, "{arguments}: {message}");
        let asked = place.asked();
        assert!(asked.iter().all(|line| line.starts_with("resolve-principal")), "{arguments}: {asked:?}");
        assert_eq!(left(&place), ["W1A", "W1B", "W2A"], "{arguments}");
    };
    for (key, names_key) in [
        (json!({ "warehouse": "W1" }), true),
        (json!({ "warehouse": "W1", "sku": null }), true),
        (json!({ "warehouse": "W1", "skuu": "A" }), true),
        (json!({ "warehouse": "W1", "sku": "A", "qty": 5 }), true),
        (json!({}), true),
        // Not even an object: which fields there are is not asked for.
        (json!("W1"), false),
    ] {
        refused("delete_record", json!({ "objectName": "stock", "keys": key, "confirm": true }), names_key);
    }
    refused("delete_record", json!({ "objectName": "stock", "recordId": "W1", "confirm": true }), true);
    for id in [json!("W1"), json!({ "warehouse": "W1" }), json!({ "warehouse": "W1", "sku": "A", "qty": 5 })] {
        refused("delete_records", json!({ "objectName": "stock", "recordIds": [id], "confirm": true }), true);
    }
    let other_order = json!({ "objectName": "stock", "keys": { "sku": "A", "warehouse": "W1" }, "confirm": true });
    let said = place.call_tool("ana", "delete_record", other_order.clone());
    let okay =
        json!({ "status": "okay", "object": "stock", "recordId": { "warehouse": "W1", "sku": "A" }, "warnings": [] });
    assert_eq!(said.text, okay.to_string());
    assert_eq!(left(&place), ["W1B", "W2A"]);
    let again = place.call_tool("ana", "delete_record", other_order);
    assert_eq!(
        (&again.json["error"]["code"], &again.json["error"]["status"]),
        (&json!("RECORD_NOT_FOUND"), &json!(404))
    );
    assert_eq!(left(&place), ["W1B", "W2A"]);
}
