//! Whether a component gives the tools, and nothing else.

use wasmtime::Engine;
use wasmtime::component::Component;

/// The one export, to the last byte: wasmtime would take another patch version for it.
const EXPORT: &str = "deletegate:records/tools@0.1.0";

/// Refuses a component with another export, by name, or without the one.
pub(super) fn check(engine: &Engine, component: &Component) -> Result<(), String> {
    let component = component.component_type();
    let mut exports = component.exports(engine).map(|(name, _)| name).peekable();
    if exports.peek().is_none() {
        return Err(format!("The component does not export \"{EXPORT}\"."));
    }
    match exports.find(|name| *name != EXPORT) {
        Some(name) => Err(format!("The component exports \"{name}\"; the only export allowed is \"{EXPORT}\".")),
        None => Ok(()),
    }
}
