//! The policy without its sandbox: the same code, linked into the host.
//!
//! For tests, which compare it with the component byte for byte, and as the floor that the component's cost
//! is measured against. A host has no use for it: nothing here limits what a call takes, and without a
//! [`Guard`](crate::guard::Guard) around the bridge nothing checks what it removes.

use delete_records::tools::{Call, Outcome, Settings};
use futures_executor::block_on;

use crate::bridge::{Bridge, Failure, Page, Principal, Removal, Scalar, Selection, Totals};

/// Runs one call of a tool over a host's bridge, on this thread. It blocks the thread while the bridge
/// works, so it does not belong on an async runtime's own threads.
pub fn call(bridge: &mut dyn Bridge, settings: &Settings, call: &Call) -> Outcome {
    delete_records::call_tool(&mut Blocking(bridge), settings, call)
}

/// The host's async bridge as the policy's synchronous one.
struct Blocking<'a>(&'a mut dyn Bridge);

impl delete_records::Bridge for Blocking<'_> {
    fn resolve_principal(&mut self, object: &str) -> Result<Principal, Failure> {
        block_on(self.0.resolve_principal(object))
    }

    fn query(
        &mut self,
        object: &str,
        selection: &Selection,
        after: Option<&[Scalar]>,
        limit: u32,
    ) -> Result<Page, Failure> {
        block_on(self.0.query(object, selection, after, limit))
    }

    fn aggregate(&mut self, object: &str, selection: &Selection) -> Result<Totals, Failure> {
        block_on(self.0.aggregate(object, selection))
    }

    fn remove(&mut self, object: &str, id: &[Scalar], revision: Option<&str>) -> Result<Removal, Failure> {
        block_on(self.0.remove(object, id, revision))
    }
}
