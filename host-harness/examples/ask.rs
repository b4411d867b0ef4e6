//! A person is asked: the call ends with a question, and is made again with the answer. Nothing waits meanwhile.

use deletegate::bridge::memory::{Memory, Tables};
use deletegate::bridge::{Actor, Identity};
use deletegate::config::{Config, ObjectConfig};
use deletegate::plugin::{Approval, Cancel, Limits, Plugin, Reply, Request};
use deletegate::tools::{Action, Consent, Scopes};

/// Asks about two notes, and deletes them once the right words were typed.
pub fn main() -> Result<(), Box<dyn std::error::Error>> {
    let tables: Tables = serde_json::from_str(
        r#"{ "objects": { "note": { "fields": [{ "name": "id", "type": "integer" }], "key": ["id"],
                                    "rows": [{ "id": 1 }, { "id": 2 }] } } }"#,
    )?;
    let notes = Memory::new(tables)?;
    let mut bridge = notes.bridge(&Identity::User(Actor { id: "ana".into(), name: None }));
    let mut config = Config::default();
    config.objects.insert("note".into(), ObjectConfig { consent: Some(Consent::Typed), ..Default::default() });
    let settings = config.settings(vec!["note".into()], None);
    let plugin = Plugin::bundled(Limits::default())?;

    let mut request = Request {
        tool: "delete_records".into(),
        arguments: r#"{"objectName": "note", "where": {}, "confirm": true}"#.into(),
        scopes: Scopes::DATA_READ | Scopes::DATA_WRITE,
        approval: None,
        cancel: Cancel::default(),
    };
    let reply = futures_executor::block_on(plugin.call(&mut bridge, &settings, request.clone()));
    let Reply::Asks { question, asked } = reply else { unreachable!("the rule wants a person") };
    println!("{}", question.message); // show it, and let the person type
    let typed = question.typed.map(|typed| typed.expected);

    request.approval = Some(Approval { action: Action::Accept, typed, asked });
    let reply = futures_executor::block_on(plugin.call(&mut bridge, &settings, request));
    let Reply::Answered(answer) = reply else { unreachable!("it has been asked") };
    println!("{}", answer.json);
    assert!(!answer.failed && notes.rows("note").is_empty());
    Ok(())
}
