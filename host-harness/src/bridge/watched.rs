//! How far a deletion is, seen from the bridge.

use async_trait::async_trait;
use delete_records::id;
use delete_records::json::Json;

use super::{Bridge, Failure, Field, Page, Principal, RecordId, Removal, Scalar, Selection, Totals};

/// A bridge that tells, before each removal, which one it is.
pub struct Watched<F> {
    bridge: Box<dyn Bridge>,
    tell: F,
    read: u64,
    attempted: u64,
    key: Vec<Field>,
    last: Option<RecordId>,
}

impl<F: FnMut(u64, u64) + Send> Watched<F> {
    /// Watches a bridge. `tell` is given the number of this removal, from 1, and of the records that were read.
    pub fn new(bridge: Box<dyn Bridge>, tell: F) -> Watched<F> {
        Watched { bridge, tell, read: 0, attempted: 0, key: Vec::new(), last: None }
    }

    /// Removals that were attempted.
    pub fn attempted(&self) -> u64 {
        self.attempted
    }

    /// The id that was attempted last, as the tools show it.
    pub fn last(&self) -> Option<Json> {
        self.last.as_ref().map(|last| id::show(&self.key, last))
    }
}

#[async_trait]
impl<F: FnMut(u64, u64) + Send> Bridge for Watched<F> {
    async fn resolve_principal(&mut self, object: &str) -> Result<Principal, Failure> {
        let principal = self.bridge.resolve_principal(object).await?;
        if let Some(access) = &principal.access {
            self.key.clone_from(&access.key);
        }
        Ok(principal)
    }

    async fn query(
        &mut self,
        object: &str,
        selection: &Selection,
        after: Option<&[Scalar]>,
        limit: u32,
    ) -> Result<Page, Failure> {
        let page = self.bridge.query(object, selection, after, limit).await?;
        self.read += page.rows.len() as u64;
        Ok(page)
    }

    async fn aggregate(&mut self, object: &str, selection: &Selection) -> Result<Totals, Failure> {
        self.bridge.aggregate(object, selection).await
    }

    async fn remove(&mut self, object: &str, id: &[Scalar], revision: Option<&str>) -> Result<Removal, Failure> {
        self.attempted += 1;
        self.last = Some(id.to_vec());
        (self.tell)(self.attempted, self.read);
        self.bridge.remove(object, id, revision).await
    }
}
