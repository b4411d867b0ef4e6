//! What a component's maker put into it, in sections that no engine runs.

use serde::Serialize;
use wasm_metadata::{ComponentNames, Producers};
use wasmparser::{CustomSectionReader, KnownCustom, Parser, Payload};
use wit_parser::{Docs, Resolve};

/// The section with the contract as WIT text, compressed as zlib does; `cargo xtask component` writes it.
const WIT_SECTION: &str = "deletegate:wit.zlib";

/// Bytes that a contract may have: this one's has 15,000. A section that would grow beyond it is somebody's joke.
const WIT_BYTES: usize = 1 << 20;

/// What a component says about itself, in the sections that `wasm-tools metadata show` reads.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct Carried {
    /// Its name.
    pub name: Option<String>,
    /// Its version.
    pub version: Option<String>,
    /// What it does.
    pub description: Option<String>,
    /// An SPDX expression.
    pub license: Option<String>,
    /// The commit that it was built from; it ends in `-dirty` where files differed from the commit.
    pub revision: Option<String>,
    /// The language and the tools that made it.
    pub producers: Vec<Producer>,
    /// The documentation of the WIT package that it carries, an entry for each interface.
    pub docs: Vec<InterfaceDocs>,
}

/// A language or a tool.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Producer {
    /// `language`, `processed-by` or `sdk`.
    pub field: String,
    /// For example `wit-component`.
    pub name: String,
    /// May be empty.
    pub version: String,
}

/// The documentation of one interface.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct InterfaceDocs {
    /// For example `deletegate:records/bridge@0.1.0`.
    pub name: String,
    /// Of the interface; empty where it has none.
    pub docs: String,
    /// Of each of its functions.
    pub functions: Vec<FunctionDocs>,
}

/// The documentation of one function.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct FunctionDocs {
    /// Its name.
    pub name: String,
    /// Empty where it has none.
    pub docs: String,
}

/// Reads the sections of the outermost component; one that can't be read counts as absent.
pub fn read(bytes: &[u8]) -> Carried {
    let mut carried = Carried::default();
    let mut depth = 0_usize;
    for payload in Parser::new(0).parse_all(bytes).map_while(Result::ok) {
        match payload {
            Payload::ModuleSection { .. } | Payload::ComponentSection { .. } => depth += 1,
            Payload::End(_) => depth = depth.saturating_sub(1),
            Payload::CustomSection(section) if depth == 0 => add(&mut carried, &section),
            _ => {}
        }
    }
    carried
}

fn add(carried: &mut Carried, section: &CustomSectionReader) {
    let text = || std::str::from_utf8(section.data()).ok().map(str::to_owned);
    match section.name() {
        "version" => carried.version = text(),
        "description" => carried.description = text(),
        "licenses" => carried.license = text(),
        "revision" => carried.revision = text(),
        WIT_SECTION => {
            let wit = miniz_oxide::inflate::decompress_to_vec_zlib_with_limit(section.data(), WIT_BYTES).ok();
            carried.docs = wit.and_then(|wit| String::from_utf8(wit).ok()).map(|wit| docs(&wit)).unwrap_or_default();
        }
        _ => match section.as_known() {
            KnownCustom::Producers(_) => carried.producers = producers(section),
            KnownCustom::ComponentName(_) => {
                carried.name = ComponentNames::from_bytes(section.data(), section.data_offset())
                    .ok()
                    .and_then(|names| names.get_name().cloned());
            }
            _ => {}
        },
    }
}

fn producers(section: &CustomSectionReader) -> Vec<Producer> {
    let Ok(producers) = Producers::from_bytes(section.data(), section.data_offset()) else {
        return Vec::new();
    };
    producers
        .iter()
        .flat_map(|(field, values)| {
            values
                .iter()
                .map(|(name, version)| Producer { field: field.clone(), name: name.clone(), version: version.clone() })
                .collect::<Vec<_>>()
        })
        .collect()
}

/// The documentation in a WIT text.
fn docs(wit: &str) -> Vec<InterfaceDocs> {
    let mut resolve = Resolve::default();
    let Ok(package) = resolve.push_str(WIT_SECTION, wit) else {
        return Vec::new();
    };
    let written = |docs: &Docs| docs.contents.clone().unwrap_or_default();
    resolve.packages[package]
        .interfaces
        .values()
        .filter_map(|id| {
            let interface = &resolve.interfaces[*id];
            Some(InterfaceDocs {
                name: resolve.id_of(*id)?,
                docs: written(&interface.docs),
                functions: interface
                    .functions
                    .values()
                    .map(|function| FunctionDocs { name: function.name.clone(), docs: written(&function.docs) })
                    .collect(),
            })
        })
        .collect()
}
