//! Ties the policy to the WIT world: the component's exports, and its one import as a [`Bridge`].

use crate::Bridge;
use crate::bindings::deletegate::records::bridge as host;
use crate::bindings::exports::deletegate::records::tools::Guest;
use crate::bridge::{Failure, Page, Principal, RecordId, Removal, Scalar, Selection, Totals};
use crate::prelude::*;
use crate::tools::{Call, Outcome, Scopes, Settings, Tool};

struct Component;

impl Guest for Component {
    fn check_settings(settings: Settings) -> Vec<String> {
        crate::check_settings(&settings)
    }

    fn list_tools(settings: Settings, scopes: Scopes) -> Vec<Tool> {
        crate::list_tools(&settings, scopes)
    }

    fn call_tool(settings: Settings, call: Call) -> Outcome {
        crate::call_tool(&mut Imported, &settings, &call)
    }
}

/// The bridge that the host lends.
struct Imported;

impl Bridge for Imported {
    fn resolve_principal(&mut self, object: &str) -> Result<Principal, Failure> {
        host::resolve_principal(object)
    }

    fn query(
        &mut self,
        object: &str,
        selection: &Selection,
        after: Option<&[Scalar]>,
        limit: u32,
    ) -> Result<Page, Failure> {
        let after: Option<RecordId> = after.map(<[Scalar]>::to_vec);
        host::query(object, selection, after.as_deref(), limit)
    }

    fn aggregate(&mut self, object: &str, selection: &Selection) -> Result<Totals, Failure> {
        host::aggregate(object, selection)
    }

    fn remove(&mut self, object: &str, id: &[Scalar], revision: Option<&str>) -> Result<Removal, Failure> {
        host::remove(object, id, revision)
    }
}

#[global_allocator]
static ALLOCATOR: dlmalloc::GlobalDlmalloc = dlmalloc::GlobalDlmalloc;

/// A panic ends the instance, and the host says so; nobody could read a message here.
#[panic_handler]
fn panic(_: &core::panic::PanicInfo) -> ! {
    core::arch::wasm32::unreachable()
}

#[allow(unsafe_code)]
mod export {
    use super::Component;
    crate::bindings::export!(Component with_types_in crate::bindings);
}
