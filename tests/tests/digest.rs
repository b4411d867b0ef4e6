//! The digest is what the contract says it is (section 6), computed here a second time from what the answer shows.

use conformance::case::Body;
use conformance::host::Host;
use conformance::run;
use serde_json::json;
use sha2::{Digest, Sha256};

/// SHA-256 over the items, each behind its length in eight bytes.
fn digest(items: &[&str]) -> String {
    let mut hash = Sha256::new();
    for item in items {
        hash.update((item.len() as u64).to_be_bytes());
        hash.update(item.as_bytes());
    }
    let hex: String = hash.finalize().iter().map(|byte| format!("{byte:02x}")).collect();
    format!("sha256:{hex}")
}

fn shown(case: serde_json::Value) -> String {
    let body: Body = serde_json::from_value(case).unwrap();
    let run = run::make(&body, &Host::native()).unwrap();
    run.seen[0].json["preview"]["digest"].as_str().unwrap().to_owned()
}

fn case(arguments: serde_json::Value) -> serde_json::Value {
    json!({
        "about": "What the digest binds (contract 6).", "fixture": "crm", "caller": { "actor": "ana" },
        "tables": { "revisions": false },
        "calls": [{ "arguments": arguments, "expect": { "outcome": "answered" } }],
    })
}

const HEAD: [&str; 8] = ["deletegate-1", "delete_records", "crm_task", "user", "ana", "local", "dev", "false"];

#[test]
fn of_ids_and_dependents() {
    let items = ["200", "false", "t1", "0", "t2", "0", "crm_note", "cascade", "3", "crm_reminder", "detach", "1"];
    let wanted = digest(&[&HEAD[..], &items].concat());
    assert_eq!(shown(case(json!({ "objectName": "crm_task", "recordIds": ["t2", "t1"] }))), wanted);
}

#[test]
fn of_every_record_of_the_system_in_production() {
    let mut every = case(json!({ "objectName": "crm_bin", "where": {} }));
    every["caller"] = json!({ "system": true });
    every["settings"] = json!({ "target": { "name": "Navigator", "environment": "live", "production": true } });
    let head = ["deletegate-1", "delete_records", "crm_bin", "system", "", "Navigator", "live", "true"];
    assert_eq!(shown(every), digest(&[&head[..], &["200", "true", "b1", "0", "b2", "0"]].concat()));
}

#[test]
fn of_composite_keys() {
    let mut stock = case(json!({ "objectName": "stock", "recordIds": [{ "sku": "A", "warehouse": "W1" }] }));
    stock["fixture"] = json!("keys");
    let head = ["deletegate-1", "delete_records", "stock", "user", "ana", "local", "dev", "false"];
    assert_eq!(shown(stock), digest(&[&head[..], &["200", "false", "W1", "A", "0"]].concat()));
}

#[test]
fn of_a_revision() {
    let mut revised = case(json!({ "objectName": "crm_bin", "recordIds": ["b1"] }));
    revised["tables"] = json!({});
    let with = shown(revised);
    let without = shown(case(json!({ "objectName": "crm_bin", "recordIds": ["b1"] })));
    assert_ne!(with, without, "the revision is part of the digest");
}
