//! What a component shows to the outside: its imports and exports.

use serde::Serialize;
use wasmparser::{Encoding, Parser, Payload};
use wit_component::DecodedWasm;
use wit_parser::{Resolve, WorldId, WorldItem};

use super::{InspectError, contract};

/// One import or export.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Item {
    /// For example `deletegate:records/bridge@0.1.0`.
    pub name: String,
    /// The functions of an interface, by name.
    pub functions: Vec<String>,
}

/// A valid component, taken apart as far as its outside goes.
pub struct Surface {
    /// In the order of the binary, whatever their kind.
    pub imports: Vec<Item>,
    pub exports: Vec<Item>,
    /// Its types, where WIT can say them; otherwise why it can't.
    pub types: Result<(Resolve, WorldId), String>,
}

impl Surface {
    /// The version of the contract's package, as the first import or export that belongs to it says.
    pub fn wit_version(&self) -> Option<String> {
        self.imports
            .iter()
            .chain(&self.exports)
            .filter(|item| item.name.starts_with(contract::PACKAGE))
            .find_map(|item| item.name.split_once('@'))
            .map(|(_, version)| version.to_owned())
    }
}

/// Reads the surface of a component, and validates the whole.
pub fn read(bytes: &[u8]) -> Result<Surface, InspectError> {
    let invalid = |error: wasmparser::BinaryReaderError| InspectError::Invalid(error.message().to_owned());
    let (mut imports, mut exports) = (Vec::new(), Vec::new());
    // A component or module inside has imports too, but only its parent can satisfy them. What reaches the
    // outside has to be an import of the outermost component, so that one alone is read.
    let mut depth = 0_usize;
    for payload in Parser::new(0).parse_all(bytes) {
        match payload.map_err(invalid)? {
            Payload::Version { encoding: Encoding::Module, .. } if depth == 0 => return Err(InspectError::CoreModule),
            Payload::ModuleSection { .. } | Payload::ComponentSection { .. } => depth += 1,
            Payload::End(_) => depth = depth.saturating_sub(1),
            Payload::ComponentImportSection(section) if depth == 0 => {
                for import in section {
                    imports.push(import.map_err(invalid)?.name.name.to_owned());
                }
            }
            Payload::ComponentExportSection(section) if depth == 0 => {
                for export in section {
                    exports.push(export.map_err(invalid)?.name.name.to_owned());
                }
            }
            _ => {}
        }
    }
    wasmparser::Validator::new_with_features(wasmparser::WasmFeatures::all()).validate_all(bytes).map_err(invalid)?;
    let types = match wit_component::decode(bytes) {
        Ok(DecodedWasm::Component(resolve, world)) => Ok((resolve, world)),
        Ok(DecodedWasm::WitPackage(..)) => return Err(InspectError::WitPackage),
        Err(error) => Err(format!("{error:#}")),
    };
    let items = |names: Vec<String>, import: bool| {
        names
            .into_iter()
            .map(|name| Item {
                functions: types
                    .as_ref()
                    .map_or_else(|_| Vec::new(), |(resolve, world)| functions(resolve, *world, import, &name)),
                name,
            })
            .collect()
    };
    Ok(Surface { imports: items(imports, true), exports: items(exports, false), types })
}

/// The functions of the interface that a component imports or exports under a name.
fn functions(resolve: &Resolve, world: WorldId, import: bool, name: &str) -> Vec<String> {
    let world = &resolve.worlds[world];
    let items = if import { &world.imports } else { &world.exports };
    items
        .iter()
        .filter(|(key, _)| resolve.name_world_key(key) == name)
        .filter_map(|(_, item)| match item {
            WorldItem::Interface { id, .. } => Some(&resolve.interfaces[*id]),
            _ => None,
        })
        .flat_map(|interface| interface.functions.keys().cloned())
        .collect()
}
