//! `cargo xtask component`: builds the component, and the broken guests that the tests are proven with.

mod compile;
mod metadata;
mod toolchain;

use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use sha2::{Digest, Sha256};
use wit_component::ComponentEncoder;

pub use metadata::{Metadata, revision};
pub use toolchain::Toolchain;

use crate::{reproducible, run, sealed};

/// Bytes, less one, of the component that is published. Small by choice, since marketplaces show the
/// size and every host compiles it.
pub const SIZE_LIMIT: usize = 200_000;

/// Where the components lie, from the workspace's folder.
pub const FOLDER: &str = "target/component";

/// Build target/component/delete-records.wasm.
#[derive(clap::Args)]
pub struct Args {
    /// Also build the broken and hostile guests that the tests need, into target/component/test/.
    #[arg(long)]
    test_guests: bool,

    /// Build it once more, from a copy of the sources in another folder, and compare the bytes.
    #[arg(long)]
    reproduce: bool,
}

/// One component: a package of the workspace, with some of its features.
pub struct Recipe {
    /// The package that holds the guest.
    pub package: &'static str,
    /// The features to build it with.
    pub features: &'static [&'static str],
    /// The file, from [`FOLDER`].
    pub out: &'static str,
}

/// The component that is published.
pub const DELETE_RECORDS: Recipe = Recipe { package: "delete-records", features: &[], out: "delete-records.wasm" };

/// Guests that are wrong on purpose: each must turn the suite red or be stopped by the guard.
const TEST_GUESTS: [Recipe; 3] = [
    Recipe { package: "delete-records", features: &["break-preview"], out: "test/break-preview.wasm" },
    Recipe { package: "delete-records", features: &["break-consent"], out: "test/break-consent.wasm" },
    Recipe { package: "hostile-guest", features: &[], out: "test/hostile.wasm" },
];

/// Runs the command.
pub fn run(args: &Args) -> Result<()> {
    let root = run::workspace()?;
    let toolchain = run::step("find a toolchain for wasm32-unknown-unknown", || Toolchain::find(&root))?;
    let file = publish(&toolchain, &root)?;
    if args.test_guests {
        publish_test_guests(&toolchain, &root)?;
    }
    if args.reproduce {
        reproducible::step(&toolchain, &root, &file)?;
    }
    Ok(())
}

/// Builds the component that is published, and gives its file.
pub fn publish(toolchain: &Toolchain, root: &Path) -> Result<PathBuf> {
    run::step("build the component", || {
        let bytes = build(toolchain, root, &DELETE_RECORDS, revision(root))?;
        sealed::check(&bytes)?;
        write(root, &DELETE_RECORDS, &bytes)
    })
}

/// Builds the guests that are wrong on purpose.
pub fn publish_test_guests(toolchain: &Toolchain, root: &Path) -> Result<()> {
    for recipe in &TEST_GUESTS {
        run::step(&format!("build the test guest {}", recipe.out), || {
            let bytes = build(toolchain, root, recipe, revision(root))?;
            write(root, recipe, &bytes)
        })?;
    }
    Ok(())
}

/// The bytes of one component, built in the workspace at `root`. They depend on the sources, the
/// toolchain and the revision alone, not on the folder.
pub fn build(toolchain: &Toolchain, root: &Path, recipe: &Recipe, revision: Option<String>) -> Result<Vec<u8>> {
    let module = compile::module(toolchain, root, recipe)?;
    let component = ComponentEncoder::default()
        .validate(true)
        .module(&module)
        .and_then(|mut encoder| encoder.encode())
        .with_context(|| format!("package {} is no component", recipe.package))?;
    let metadata = Metadata::of_package(root, recipe.package, revision)?;
    let component = metadata.add_to(&component, toolchain, &root.join("wit"))?;
    compile::no_machine_paths(&component, toolchain, root)?;
    Ok(component)
}

fn write(root: &Path, recipe: &Recipe, bytes: &[u8]) -> Result<PathBuf> {
    let file = root.join(FOLDER).join(recipe.out);
    if let Some(folder) = file.parent() {
        std::fs::create_dir_all(folder)?;
    }
    // A file that did not change keeps its time, so nothing that embeds it is built again.
    if std::fs::read(&file).ok().as_deref() != Some(bytes) {
        std::fs::write(&file, bytes)?;
    }
    eprintln!("    {FOLDER}/{}: {} bytes, sha256 {}", recipe.out, bytes.len(), sha256(bytes));
    Ok(file)
}

/// SHA-256 in lower-case hexadecimal.
pub fn sha256(bytes: &[u8]) -> String {
    Sha256::digest(bytes).iter().map(|byte| format!("{byte:02x}")).collect()
}
