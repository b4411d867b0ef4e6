//! A bridge that writes down what is asked of it.

use std::sync::{Arc, Mutex, PoisonError};

use async_trait::async_trait;
use serde_json::Value as Json;

use super::super::{Bridge, Failure, Page, Principal, Removal, Scalar, Selection, Totals};

/// What was asked of a bridge, a line for each call. Clones share the same lines.
#[derive(Clone, Debug, Default)]
pub struct Trace(Arc<Mutex<Vec<String>>>);

impl Trace {
    /// The lines until now; forgets them.
    pub fn take(&self) -> Vec<String> {
        std::mem::take(&mut *self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }

    fn add(&self, line: String) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).push(line);
    }
}

/// A bridge that writes down each call, and passes it on:
///
/// ```text
/// resolve-principal crm_task
/// query crm_task filter after=t2 limit=198
/// aggregate crm_task ids(4)
/// remove crm_task t1 rev
/// ```
///
/// Selections show as `every`, `filter` or `ids(n)`, ids as they leave in an answer, and a revision as
/// `rev`, since it is the engine's own.
pub struct Traced<B> {
    bridge: B,
    trace: Trace,
}

impl<B: Bridge> Traced<B> {
    /// Writes the calls of this bridge down in the trace.
    pub fn new(bridge: B, trace: Trace) -> Self {
        Self { bridge, trace }
    }
}

#[async_trait]
impl<B: Bridge> Bridge for Traced<B> {
    async fn resolve_principal(&mut self, object: &str) -> Result<Principal, Failure> {
        self.trace.add(format!("resolve-principal {object}"));
        self.bridge.resolve_principal(object).await
    }

    async fn query(
        &mut self,
        object: &str,
        selection: &Selection,
        after: Option<&[Scalar]>,
        limit: u32,
    ) -> Result<Page, Failure> {
        let behind = after.map(|after| format!(" after={}", short(after))).unwrap_or_default();
        let shown = shape(selection);
        self.trace.add(format!("query {object} {shown}{behind} limit={limit}"));
        self.bridge.query(object, selection, after, limit).await
    }

    async fn aggregate(&mut self, object: &str, selection: &Selection) -> Result<Totals, Failure> {
        self.trace.add(format!("aggregate {object} {}", shape(selection)));
        self.bridge.aggregate(object, selection).await
    }

    async fn remove(&mut self, object: &str, id: &[Scalar], revision: Option<&str>) -> Result<Removal, Failure> {
        let checked = if revision.is_some() { " rev" } else { "" };
        self.trace.add(format!("remove {object} {}{checked}", short(id)));
        self.bridge.remove(object, id, revision).await
    }
}

fn shape(selection: &Selection) -> String {
    match selection {
        Selection::Every => "every".into(),
        Selection::Filter(_) => "filter".into(),
        Selection::Ids(ids) => format!("ids({})", ids.len()),
    }
}

/// An id on a line of its own: plain where that is unmistakable, else as JSON.
fn short(id: &[Scalar]) -> String {
    let parts: Vec<String> = id.iter().map(scalar_text).collect();
    let plain = |text: &String| {
        !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-_.:+".contains(&byte))
    };
    match parts.iter().all(plain) {
        true => parts.join(","),
        false => Json::from(parts).to_string(),
    }
}

fn scalar_text(scalar: &Scalar) -> String {
    match scalar {
        Scalar::Null => "null".into(),
        Scalar::Boolean(value) => value.to_string(),
        Scalar::Integer(value) => value.to_string(),
        Scalar::Decimal(value) | Scalar::Text(value) => value.clone(),
        Scalar::Instant(value) => format!("{}.{:09}", value.seconds, value.nanoseconds),
    }
}

/// An id as it leaves in an answer: a string for a key of one field, an object of strings by the names of the
/// key's fields otherwise.
pub fn id_json(key: &[String], id: &[Scalar]) -> Json {
    match id {
        [only] => Json::from(scalar_text(only)),
        parts => {
            let named = |(name, part): (&String, &Scalar)| (name.clone(), Json::from(scalar_text(part)));
            Json::Object(key.iter().zip(parts).map(named).collect())
        }
    }
}
