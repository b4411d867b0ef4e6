//! What a host lends to the guest, and the engines that are served out of the box.

mod database;
mod decimal;
pub(crate) mod defaults;
pub mod memory;
mod named;
mod order;
pub mod postgres;
mod reach;
mod refusal;
mod rules;
pub mod sqlite;
mod watched;

use async_trait::async_trait;
pub use database::{Database, OpenError};
pub use delete_records::bridge::*;
pub use named::Named;
pub use watched::Watched;

/// The four functions over the host's own engine, for one caller.
///
/// A value of this type stands for one caller: it holds who they are, and every function resolves what
/// they may do anew. The guest never sees that context and can't pass another one.
/// The WIT interface `deletegate:records/bridge` says what each function owes.
#[async_trait]
pub trait Bridge: Send {
    /// Who is calling now, and what they may do with `object`. Asked anew, never remembered.
    async fn resolve_principal(&mut self, object: &str) -> Result<Principal, Failure>;

    /// The records selected, as this caller sees them, in one stable total order of the key, behind
    /// `after`, at most `limit`.
    async fn query(
        &mut self,
        object: &str,
        selection: &Selection,
        after: Option<&[Scalar]>,
        limit: u32,
    ) -> Result<Page, Failure>;

    /// Totals over the same selection, as this caller sees it.
    async fn aggregate(&mut self, object: &str, selection: &Selection) -> Result<Totals, Failure>;

    /// Deletes one record through the engine's one delete path. With a revision, only while the record
    /// still has it.
    async fn remove(&mut self, object: &str, id: &[Scalar], revision: Option<&str>) -> Result<Removal, Failure>;
}

#[async_trait]
impl Bridge for Box<dyn Bridge> {
    async fn resolve_principal(&mut self, object: &str) -> Result<Principal, Failure> {
        (**self).resolve_principal(object).await
    }

    async fn query(
        &mut self,
        object: &str,
        selection: &Selection,
        after: Option<&[Scalar]>,
        limit: u32,
    ) -> Result<Page, Failure> {
        (**self).query(object, selection, after, limit).await
    }

    async fn aggregate(&mut self, object: &str, selection: &Selection) -> Result<Totals, Failure> {
        (**self).aggregate(object, selection).await
    }

    async fn remove(&mut self, object: &str, id: &[Scalar], revision: Option<&str>) -> Result<Removal, Failure> {
        (**self).remove(object, id, revision).await
    }
}
