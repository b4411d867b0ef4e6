//! The engines that a case runs over.

use std::collections::BTreeMap;
use std::sync::Arc;

use async_trait::async_trait;
use deletegate::bridge::memory::{Change, Memory, Tables, id_json};
use deletegate::bridge::{Bridge, Failure, Identity, Page, Principal, Removal, Scalar, Selection, Totals};
use serde_json::Value as Json;

/// Where the records of one case are.
pub trait Engine: Send + Sync {
    /// What this engine lends to a caller.
    fn bridge(&self, identity: &Identity) -> anyhow::Result<Box<dyn Bridge>>;

    /// Does what somebody else does.
    fn apply(&self, change: &Change) -> anyhow::Result<()>;

    /// The ids that are there, for each object, in the order of the key.
    fn left(&self) -> anyhow::Result<BTreeMap<String, Json>>;
}

/// The kinds of engines.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// In memory.
    Memory,
}

impl Kind {
    /// An engine with these tables.
    pub fn start(self, tables: &Tables) -> anyhow::Result<Arc<dyn Engine>> {
        Ok(match self {
            Kind::Memory => Arc::new(InMemory::new(tables.clone())?),
        })
    }
}

struct InMemory {
    memory: Memory,
    tables: Tables,
}

impl InMemory {
    fn new(tables: Tables) -> anyhow::Result<Self> {
        Ok(InMemory { memory: Memory::new(tables.clone())?, tables })
    }
}

impl Engine for InMemory {
    fn bridge(&self, identity: &Identity) -> anyhow::Result<Box<dyn Bridge>> {
        Ok(Box::new(self.memory.bridge(identity)))
    }

    fn apply(&self, change: &Change) -> anyhow::Result<()> {
        Ok(self.memory.apply(change)?)
    }

    fn left(&self) -> anyhow::Result<BTreeMap<String, Json>> {
        Ok(self
            .tables
            .objects
            .iter()
            .map(|(name, object)| {
                let ids = self.memory.ids(name);
                (name.clone(), ids.iter().map(|id| id_json(&object.key, id)).collect())
            })
            .collect())
    }
}

/// A bridge behind a pointer is a bridge.
pub struct Boxed(pub Box<dyn Bridge>);

#[async_trait]
impl Bridge for Boxed {
    async fn resolve_principal(&mut self, object: &str) -> Result<Principal, Failure> {
        self.0.resolve_principal(object).await
    }

    async fn query(
        &mut self,
        object: &str,
        selection: &Selection,
        after: Option<&[Scalar]>,
        limit: u32,
    ) -> Result<Page, Failure> {
        self.0.query(object, selection, after, limit).await
    }

    async fn aggregate(&mut self, object: &str, selection: &Selection) -> Result<Totals, Failure> {
        self.0.aggregate(object, selection).await
    }

    async fn remove(&mut self, object: &str, id: &[Scalar], revision: Option<&str>) -> Result<Removal, Failure> {
        self.0.remove(object, id, revision).await
    }
}

/// A faulty bridge: it reads as the caller, and removes as somebody else.
pub struct AsAnother {
    /// The caller's.
    pub own: Box<dyn Bridge>,
    /// The other's.
    pub other: Box<dyn Bridge>,
}

#[async_trait]
impl Bridge for AsAnother {
    async fn resolve_principal(&mut self, object: &str) -> Result<Principal, Failure> {
        self.own.resolve_principal(object).await
    }

    async fn query(
        &mut self,
        object: &str,
        selection: &Selection,
        after: Option<&[Scalar]>,
        limit: u32,
    ) -> Result<Page, Failure> {
        self.own.query(object, selection, after, limit).await
    }

    async fn aggregate(&mut self, object: &str, selection: &Selection) -> Result<Totals, Failure> {
        self.own.aggregate(object, selection).await
    }

    async fn remove(&mut self, object: &str, id: &[Scalar], revision: Option<&str>) -> Result<Removal, Failure> {
        self.other.remove(object, id, revision).await
    }
}
