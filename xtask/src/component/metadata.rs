//! What the component says about itself, in the sections that `wasm-tools metadata show` reads, and the
//! contract with its documentation, which plain builds drop.

use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result, bail};
use wasm_encoder::{ComponentSection, CustomSection};
use wasm_metadata::{AddMetadata, AddMetadataField};
use wit_component::{DecodedWasm, WitPrinter};
use wit_parser::{PackageId, PackageMetadata, Resolve};

use super::Toolchain;
use crate::run;

/// The section with the contract as WIT text, documentation included, compressed as zlib does (RFC 1950): the
/// text would be a fourteenth of the component. `deletegate inspect` shows it, and any zlib reads it.
///
/// `package-docs` can't hold it: in a component that section is read into the package `root:component`,
/// and every WIT reader refuses a component whose section names an interface of another package.
const WIT_SECTION: &str = "deletegate:wit.zlib";

/// Compression as dense as it gets; the section is written once and shown to many.
const DENSEST: u8 = 10;

/// The world that the guest is built for.
const WORLD: &str = "delete-records";

/// Who made the component and from what. Nobody's name is in it: the revision leads to them.
pub struct Metadata {
    name: String,
    version: String,
    description: Option<String>,
    license: Option<String>,
    revision: Option<String>,
}

impl Metadata {
    /// What the manifest of a package of the workspace says.
    pub fn of_package(root: &Path, package: &str, revision: Option<String>) -> Result<Self> {
        let json = run::output(
            Command::new(run::cargo())
                .args(["metadata", "--no-deps", "--locked", "--format-version", "1"])
                .current_dir(root),
        )?;
        let metadata: serde_json::Value = serde_json::from_str(&json)?;
        let manifest = metadata["packages"]
            .as_array()
            .into_iter()
            .flatten()
            .find(|manifest| manifest["name"] == package)
            .with_context(|| format!("the workspace has no package {package}"))?;
        let member = |name: &str| manifest[name].as_str().map(str::to_owned);
        Ok(Self {
            name: package.to_owned(),
            version: member("version").context("a package has a version")?,
            description: member("description"),
            license: member("license"),
            revision,
        })
    }

    /// The component with these sections, the compiler among its producers, and the WIT package in the
    /// folder `wit`.
    pub fn add_to(&self, component: &[u8], toolchain: &Toolchain, wit: &Path) -> Result<Vec<u8>> {
        let mut add = AddMetadata::default();
        add.name = AddMetadataField::Set(self.name.clone());
        // The compiler says so itself in a section that stripping removes.
        add.language = vec![("Rust".to_owned(), String::new())];
        add.processed_by = vec![("rustc".to_owned(), toolchain.release.clone())];
        let mut bytes = add.to_wasm(component)?;

        let mut contract = Resolve::default();
        let (package, _) = contract.push_dir(wit)?;
        append(&mut bytes, PackageMetadata::SECTION_NAME, &world_docs(component, &contract, package)?);
        let text = wit_text(&contract, package)?;
        append(&mut bytes, WIT_SECTION, &miniz_oxide::deflate::compress_to_vec_zlib(text.as_bytes(), DENSEST));

        // The names that the annotations of OCI images have, too.
        let annotations = [
            ("version", Some(&self.version)),
            ("description", self.description.as_ref()),
            ("licenses", self.license.as_ref()),
            ("revision", self.revision.as_ref()),
        ];
        for (name, value) in annotations {
            if let Some(value) = value {
                append(&mut bytes, name, value.as_bytes());
            }
        }
        Ok(bytes)
    }
}

/// The world's own documentation, as the component's readers look for it.
fn world_docs(component: &[u8], contract: &Resolve, package: PackageId) -> Result<Vec<u8>> {
    let DecodedWasm::Component(mut read, world) = wit_component::decode(component)? else {
        bail!("this is a WIT package and no component");
    };
    let documented = contract.select_world(&[package], Some(WORLD))?;
    read.worlds[world].docs = contract.worlds[documented].docs.clone();
    let root = read.worlds[world].package.context("a component's world is in a package")?;
    PackageMetadata::extract(&read, root).encode()
}

/// The whole package in one text.
fn wit_text(contract: &Resolve, package: PackageId) -> Result<String> {
    let mut printer = WitPrinter::default();
    printer.print(contract, package, &[])?;
    Ok(printer.output.to_string())
}

fn append(component: &mut Vec<u8>, name: &str, data: &[u8]) {
    CustomSection { name: name.into(), data: data.into() }.append_to_component(component);
}

/// The commit that the workspace stands at, with `-dirty` where tracked files differ from it; none
/// where the workspace is no repository of its own.
pub fn revision(root: &Path) -> Option<String> {
    let git = |args: &[&str]| run::output(Command::new("git").args(args).current_dir(root)).ok();
    let top = git(&["rev-parse", "--show-toplevel"])?;
    if Path::new(top.trim()).canonicalize().ok()? != root {
        return None;
    }
    let mut revision = git(&["rev-parse", "HEAD"])?.trim().to_owned();
    if !git(&["status", "--porcelain", "--untracked-files=no"])?.is_empty() {
        revision.push_str("-dirty");
    }
    Some(revision)
}
