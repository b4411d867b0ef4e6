//! An engine in memory: tables and rules as plain data, for tests.
//!
//! It does what a host owes by the WIT interface `deletegate:records/bridge`, and evaluates filters in plain
//! Rust, so that what an agent's call deletes can be seen without a database. Embedders use it in their
//! own tests; the conformance suite takes it as the oracle for the other engines.
//!
//! ```
//! use deletegate::bridge::memory::{Memory, Tables};
//! use deletegate::bridge::{Actor, Bridge, Identity, Removal, Scalar};
//!
//! let tables: Tables = serde_json::from_str(r#"{ "objects": { "task": {
//!     "fields": [ { "name": "id", "type": "text" }, { "name": "owner", "type": "text" } ],
//!     "key": ["id"],
//!     "visible": [ { "field": "owner", "values": [":actor"] } ],
//!     "rows": [ { "id": "t1", "owner": "ana" }, { "id": "t2", "owner": "bo" } ]
//! } } }"#).unwrap();
//! let memory = Memory::new(tables).unwrap();
//! let mut bridge = memory.bridge(&Identity::User(Actor { id: "ana".into(), name: None }));
//!
//! let remove = |id: &str| vec![Scalar::Text(id.into())];
//! futures_executor::block_on(async {
//!     assert_eq!(bridge.remove("task", &remove("t1"), None).await, Ok(Removal::Removed));
//!     assert_eq!(bridge.remove("task", &remove("t2"), None).await, Ok(Removal::Absent));
//! });
//! assert_eq!(memory.rows("task").len(), 1);
//! ```

mod decimal;
mod filter;
mod query;
mod reach;
mod remove;
mod script;
mod tables;
mod time;
mod traced;
mod value;

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use async_trait::async_trait;

use super::{Access, Bridge, Failure, Identity, Page, Principal, Removal, Scalar, Selection, Totals, Verbs};
pub use script::{Function, Moment, Scripted, Step};
pub use tables::{Change, Counts, Field, Lock, Object, Reference, RefusalText, Row, Tables, Test, Verb, Verdict};
pub(super) use time::is_date;
pub use traced::{Trace, Traced, id_json};
pub use value::Value;

/// An engine in memory. Clones share the same data.
#[derive(Clone, Debug)]
pub struct Memory {
    tables: Arc<Mutex<Tables>>,
}

/// Why tables can't be served, as a sentence that names the object.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub struct TableError(String);

impl Memory {
    /// An engine over these tables.
    ///
    /// # Errors
    /// A key, label, rule or foreign key that names what is not there.
    pub fn new(tables: Tables) -> Result<Self, TableError> {
        tables::check(&tables).map_err(TableError)?;
        Ok(Self { tables: Arc::new(Mutex::new(tables)) })
    }

    /// A bridge for one caller.
    pub fn bridge(&self, identity: &Identity) -> MemoryBridge {
        MemoryBridge { memory: self.clone(), identity: identity.clone() }
    }

    /// The records of an object as they are now, in the order in which they were added; none where there is no
    /// such object.
    pub fn rows(&self, object: &str) -> Vec<Row> {
        self.lock().objects.get(object).map(|object| object.rows.clone()).unwrap_or_default()
    }

    /// The ids of the records that are there now, whoever may see them, in the order of the key.
    pub fn ids(&self, object: &str) -> Vec<Vec<Scalar>> {
        self.lock().objects.get(object).map(query::ids).unwrap_or_default()
    }

    /// Does what somebody else does meanwhile, past every rule.
    ///
    /// # Errors
    /// An object or a record that is not there.
    pub fn apply(&self, change: &Change) -> Result<(), TableError> {
        remove::apply(&mut self.lock(), change).map_err(TableError)
    }

    fn lock(&self) -> MutexGuard<'_, Tables> {
        // A panic while the lock was held can't leave a row half written: each change is one assignment.
        self.tables.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// What a memory engine lends to one caller.
#[derive(Clone, Debug)]
pub struct MemoryBridge {
    memory: Memory,
    identity: Identity,
}

#[async_trait]
impl Bridge for MemoryBridge {
    async fn resolve_principal(&mut self, object: &str) -> Result<Principal, Failure> {
        let tables = self.memory.lock();
        let access = query::offered(&tables, object, &self.identity).map(|found| access(object, found));
        let narrowing = access.is_some().then(|| tables.narrowing.clone()).flatten();
        Ok(Principal { identity: self.identity.clone(), access, narrowing })
    }

    async fn query(
        &mut self,
        object: &str,
        selection: &Selection,
        after: Option<&[Scalar]>,
        limit: u32,
    ) -> Result<Page, Failure> {
        query::page(&self.memory.lock(), &self.identity, object, selection, after, limit)
    }

    async fn aggregate(&mut self, object: &str, selection: &Selection) -> Result<Totals, Failure> {
        query::totals(&self.memory.lock(), &self.identity, object, selection)
    }

    async fn remove(&mut self, object: &str, id: &[Scalar], revision: Option<&str>) -> Result<Removal, Failure> {
        remove::remove(&mut self.memory.lock(), &self.identity, object, id, revision)
    }
}

/// What a caller may know of an object and do with it.
fn access(name: &str, object: &Object) -> Access {
    let field = |field: &Field| super::Field { name: field.name.clone(), type_: field.kind, nullable: field.nullable };
    let mut verbs = Verbs::empty();
    for (verb, flag) in [(Verb::List, Verbs::LIST), (Verb::Remove, Verbs::REMOVE)] {
        if !object.denied.contains(&verb) {
            verbs |= flag;
        }
    }
    Access {
        object: name.to_owned(),
        key: object.key.iter().filter_map(|name| object.field(name)).map(field).collect(),
        fields: object.fields.iter().filter(|field| !field.withheld).map(field).collect(),
        verbs,
        reversible: object.reversible,
    }
}
