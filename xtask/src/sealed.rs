//! A first look at what a component imports, before anything embeds it. The judgement itself, types
//! included, is the library's (`deletegate::inspect`), which can't be used here: it embeds the component.

use anyhow::{Result, bail};
use wit_component::DecodedWasm;

/// The one import.
const BRIDGE: &str = "deletegate:records/bridge@0.1.0";

/// Refuses a component with any import but the bridge.
pub fn check(component: &[u8]) -> Result<()> {
    let DecodedWasm::Component(resolve, world) = wit_component::decode(component)? else {
        bail!("this is a WIT package and no component");
    };
    let imports: Vec<String> = resolve.worlds[world].imports.keys().map(|key| resolve.name_world_key(key)).collect();
    if imports != [BRIDGE] {
        bail!("the component imports {imports:?}; it may import {BRIDGE} alone");
    }
    Ok(())
}
