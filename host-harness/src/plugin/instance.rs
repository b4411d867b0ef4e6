//! What stands beside one instance: its limits and its end of the exchange.

use delete_records::bridge as ours;
use wasmtime::{ResourceLimiter, Result};

use super::bindings::deletegate::records::bridge as theirs;
use super::convert;
use super::error::{CallError, Limit};
use super::exchange::{Grant, Slot, Wish};

/// Table elements of one instance: functions that are called through a pointer. The policy has some hundred.
const TABLE_ELEMENTS: usize = 20_000;

/// The state of one instance. It holds nothing of the caller and nothing of the engine.
pub(super) struct Instance {
    wishes: Slot<Wish>,
    memory_bytes: usize,
}

impl Instance {
    pub(super) fn new(wishes: Slot<Wish>, memory_bytes: usize) -> Instance {
        Instance { wishes, memory_bytes }
    }

    async fn wish<T, U>(
        &self,
        wish: impl FnOnce(Grant<T>) -> Wish,
        convert: impl FnOnce(T) -> U,
    ) -> Result<Result<U, theirs::Failure>> {
        let grant = Grant::new();
        self.wishes.put(wish(grant.clone()));
        Ok(grant.wait().await.map(convert).map_err(convert::failure))
    }
}

impl theirs::Host for Instance {
    async fn resolve_principal(&mut self, object: String) -> Result<Result<theirs::Principal, theirs::Failure>> {
        self.wish(|grant| Wish::ResolvePrincipal { object, grant }, convert::principal).await
    }

    async fn query(
        &mut self,
        object: String,
        selection: theirs::Selection,
        after: Option<theirs::RecordId>,
        limit: u32,
    ) -> Result<Result<theirs::Page, theirs::Failure>> {
        let selection = convert::selection(selection);
        let after: Option<ours::RecordId> = after.map(convert::record_id);
        self.wish(|grant| Wish::Query { object, selection, after, limit, grant }, convert::page).await
    }

    async fn aggregate(
        &mut self,
        object: String,
        selection: theirs::Selection,
    ) -> Result<Result<theirs::Totals, theirs::Failure>> {
        let selection = convert::selection(selection);
        self.wish(|grant| Wish::Aggregate { object, selection, grant }, convert::totals).await
    }

    async fn remove(
        &mut self,
        object: String,
        id: theirs::RecordId,
        revision: Option<String>,
    ) -> Result<Result<theirs::Removal, theirs::Failure>> {
        let id = convert::record_id(id);
        self.wish(|grant| Wish::Remove { object, id, revision, grant }, convert::removal).await
    }
}

impl ResourceLimiter for Instance {
    /// An error rather than `false`: a guest that is out of memory ends there, not in whatever its
    /// allocator makes of it.
    fn memory_growing(&mut self, _current: usize, desired: usize, _maximum: Option<usize>) -> Result<bool> {
        if desired > self.memory_bytes {
            return Err(CallError::Limit(Limit::Memory).into());
        }
        Ok(true)
    }

    fn table_growing(&mut self, _current: usize, desired: usize, _maximum: Option<usize>) -> Result<bool> {
        if desired > TABLE_ELEMENTS {
            return Err(CallError::Limit(Limit::Memory).into());
        }
        Ok(true)
    }

    // A component is some small modules (the policy, and what adapts its types) around one memory.
    fn instances(&self) -> usize {
        16
    }

    fn tables(&self) -> usize {
        8
    }

    fn memories(&self) -> usize {
        1
    }
}
