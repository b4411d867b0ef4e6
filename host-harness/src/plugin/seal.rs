//! Whether a component reaches beyond the bridge.

use wasmtime::Engine;
use wasmtime::component::Component;

/// The one import, to the last byte: wasmtime's linker would take another patch version too.
const IMPORT: &str = "deletegate:records/bridge@0.1.0";
/// The one export.
const EXPORT: &str = "deletegate:records/tools@0.1.0";

/// Refuses what imports anything but the bridge or exports anything but the tools, by name. The
/// functions and their types are compared when the component is linked.
pub(super) fn check(engine: &Engine, component: &Component) -> Result<(), String> {
    let types = component.component_type();
    for (name, _) in types.imports(engine) {
        if name != IMPORT {
            return Err(format!("The component imports {name:?}; the only import allowed is {IMPORT:?}."));
        }
    }
    let mut exported = false;
    for (name, _) in types.exports(engine) {
        if name != EXPORT {
            return Err(format!("The component exports {name:?}; the only export allowed is {EXPORT:?}."));
        }
        exported = true;
    }
    if !exported {
        return Err(format!("The component does not export {EXPORT:?}."));
    }
    Ok(())
}
