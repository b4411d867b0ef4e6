//! The judgement whether a component is sealed: the bridge is its only way out (contract, section 11).

use wit_parser::{Interface, TypeDefKind, WorldItem};

use super::contract::{self, BRIDGE, Bridge};
use super::surface::{self, Surface};
use super::{InspectError, types};

/// Why a component is not sealed. Each sentence names what is in the way.
#[derive(Debug, thiserror::Error)]
pub enum Unsealed {
    /// Nothing that could be judged.
    #[error(transparent)]
    NoComponent(#[from] InspectError),
    /// Anything but the bridge, or the bridge in another version.
    #[error("It imports \"{name}\": a component may import {BRIDGE} alone.")]
    Import {
        /// The import.
        name: String,
    },
    /// A function that the bridge does not have.
    #[error("It imports \"{BRIDGE}#{name}\": the bridge has {allowed} alone.")]
    Function {
        /// The function.
        name: String,
        /// The functions of the bridge.
        allowed: String,
    },
    /// One of the bridge's functions, with another type.
    #[error("It imports \"{BRIDGE}#{name}\" with another type than the contract's `{expected}`.")]
    FunctionType {
        /// The function.
        name: String,
        /// Its declaration in the contract.
        expected: &'static str,
    },
    /// A resource, which is a way out of its own.
    #[error("It imports the resource \"{BRIDGE}#{name}\": the bridge has none.")]
    Resource {
        /// The resource.
        name: String,
    },
    /// Types that WIT can't say.
    #[error("What it imports can't be compared with {BRIDGE}: {0}.")]
    Types(String),
}

/// Whether a component is sealed: it imports nothing but the instance `deletegate:records/bridge@0.1.0`,
/// and of that nothing but the contract's four functions, with the contract's own types.
///
/// A component that needs fewer of the four is sealed too: tools that make components leave out what
/// is never called.
///
/// # Errors
///
/// What stands in the way, the first of it.
pub fn seal(bytes: &[u8]) -> Result<(), Unsealed> {
    judge(&surface::read(bytes)?)
}

/// [`seal`], of a component that was read already.
pub fn judge(surface: &Surface) -> Result<(), Unsealed> {
    if let Some(import) = surface.imports.iter().find(|import| import.name != BRIDGE) {
        return Err(Unsealed::Import { name: import.name.clone() });
    }
    if surface.imports.is_empty() {
        return Ok(());
    }
    let (resolve, world) = surface.types.as_ref().map_err(|error| Unsealed::Types(error.clone()))?;
    for (key, item) in &resolve.worlds[*world].imports {
        let name = resolve.name_world_key(key);
        match item {
            WorldItem::Interface { id, .. } if name == BRIDGE => interface(resolve, &resolve.interfaces[*id])?,
            _ => return Err(Unsealed::Import { name }),
        }
    }
    Ok(())
}

fn interface(resolve: &wit_parser::Resolve, imported: &Interface) -> Result<(), Unsealed> {
    let bridge = Bridge::read().map_err(Unsealed::Types)?;
    for (name, function) in &imported.functions {
        let Some(expected) = bridge.function(name) else {
            return Err(Unsealed::Function { name: name.clone(), allowed: bridge.names() });
        };
        if !types::same_function((resolve, function), (&bridge.resolve, expected)) {
            return Err(Unsealed::FunctionType { name: name.clone(), expected: contract::declaration(name) });
        }
    }
    match imported.types.iter().find(|(_, id)| matches!(resolve.types[**id].kind, TypeDefKind::Resource)) {
        Some((name, _)) => Err(Unsealed::Resource { name: name.clone() }),
        None => Ok(()),
    }
}
