//! Guarded delete tools over an engine of your own: four functions, and the component does the rest.

use std::collections::BTreeMap;

use async_trait::async_trait;
use deletegate::bridge::*;
use deletegate::plugin::{Cancel, Limits, Plugin, Reply, Request};
use deletegate::{config::Config, tools::Scopes};

/// The engine: notes with an owner. Yours has a database and rules here.
struct Notes(BTreeMap<i64, (&'static str, &'static str)>);

/// The bridge for one caller. The component never sees who that is.
struct ForUser<'a> {
    user: &'a str,
    notes: &'a mut Notes,
}

#[async_trait]
impl Bridge for ForUser<'_> {
    async fn resolve_principal(&mut self, object: &str) -> Result<Principal, Failure> {
        let id = Field { name: "id".into(), type_: FieldType::Integer, nullable: false };
        let access = Access {
            object: "note".into(),
            key: vec![id.clone()],
            fields: vec![id],
            verbs: Verbs::LIST | Verbs::REMOVE,
            reversible: false,
        };
        Ok(Principal {
            identity: Identity::User(Actor { id: self.user.into(), name: None }),
            access: (object == "note").then_some(access),
            narrowing: None,
        })
    }

    async fn query(
        &mut self,
        _: &str,
        selection: &Selection,
        after: Option<&[Scalar]>,
        limit: u32,
    ) -> Result<Page, Failure> {
        let wanted = |id: i64| match selection {
            Selection::Every => Ok(true),
            Selection::Ids(ids) => Ok(ids.contains(&vec![Scalar::Integer(id)])),
            // This engine can't filter. What can't be evaluated exactly is refused, never approximated.
            Selection::Filter(_) => Err(Failure::Unsupported),
        };
        let mut rows = Vec::new();
        for (&id, &(owner, text)) in &self.notes.0 {
            let behind = after.is_none_or(|after| after < &[Scalar::Integer(id)][..]);
            if owner == self.user && behind && wanted(id)? {
                rows.push(Row { id: vec![Scalar::Integer(id)], label: Some(text.into()), revision: None });
            }
        }
        let more = rows.len() > limit as usize;
        rows.truncate(limit as usize);
        Ok(Page { rows, more })
    }

    async fn aggregate(&mut self, _: &str, _: &Selection) -> Result<Totals, Failure> {
        Err(Failure::Unsupported)
    }

    async fn remove(&mut self, _: &str, id: &[Scalar], _: Option<&str>) -> Result<Removal, Failure> {
        let [Scalar::Integer(id)] = id else { return Ok(Removal::Absent) };
        match self.notes.0.get(id) {
            Some((owner, _)) if *owner != self.user => Ok(Removal::Absent),
            None => Ok(Removal::Absent),
            // A rule of this engine: what it answers here is grouped by reason for the agent.
            Some((_, "keep me")) => Err(Failure::Refused(Refusal {
                code: "RECORD_LOCKED".into(),
                status: 409,
                reason: "this note is kept".into(),
                retryable: false,
            })),
            Some(_) => {
                self.notes.0.remove(id);
                Ok(Removal::Removed)
            }
        }
    }
}

/// Deletes what the rule allows of the notes that the caller can see.
pub fn main() -> Result<(), Box<dyn std::error::Error>> {
    let plugin = Plugin::bundled(Limits::default())?; // once: compiles the component
    let settings = Config::default().settings(vec!["note".into()], None);
    let mut notes = Notes(BTreeMap::from([(1, ("ana", "old")), (2, ("ana", "keep me")), (3, ("bo", "his"))]));
    let mut bridge = ForUser { user: "ana", notes: &mut notes };
    let request = Request {
        tool: "delete_records".into(),
        arguments: r#"{"objectName": "note", "where": {}, "confirm": true}"#.into(),
        scopes: Scopes::DATA_READ | Scopes::DATA_WRITE,
        approval: None,
        cancel: Cancel::default(),
    };
    let reply = futures_executor::block_on(plugin.call(&mut bridge, &settings, request));
    let Reply::Answered(answer) = reply else { unreachable!("nobody is asked under consent `attest`") };
    println!("{}", answer.json);
    assert!(!answer.failed && answer.json.contains(r#""deleted":1,"refused":1"#));
    assert_eq!(notes.0.keys().collect::<Vec<_>>(), [&2, &3]);
    Ok(())
}
