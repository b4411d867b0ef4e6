//! The engines that a case runs over.

mod memory;
mod postgres;
mod sqlite;

use std::collections::BTreeMap;
use std::sync::Arc;

use async_trait::async_trait;
use deletegate::bridge::memory::{Change, Tables};
use deletegate::bridge::{Bridge, Failure, Page, Principal, Removal, Scalar, Selection, Totals};
use serde_json::Value as Json;

use crate::case::Caller;

/// Where the records of one case are.
pub trait Engine: Send + Sync {
    /// What this engine lends to a caller.
    fn bridge(&self, caller: &Caller) -> Box<dyn Bridge>;

    /// Does what somebody else does, past every rule.
    fn apply(&self, change: &Change) -> anyhow::Result<()>;

    /// The ids that are there, for each object, in the order of the key.
    fn left(&self) -> anyhow::Result<BTreeMap<String, Json>>;
}

/// The kinds of engines.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// In memory.
    Memory,
    /// SQLite, in a file of its own.
    Sqlite,
    /// PostgreSQL, in a database of its own of a server that the tests start.
    Postgres,
}

impl Kind {
    /// An engine with these tables; an error where it can't have them.
    pub fn start(self, tables: &Tables) -> anyhow::Result<Arc<dyn Engine>> {
        Ok(match self {
            Kind::Memory => Arc::new(memory::InMemory::new(tables)?),
            Kind::Sqlite => Arc::new(sqlite::InFile::new(tables)?),
            Kind::Postgres => Arc::new(postgres::InServer::new(tables)?),
        })
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
