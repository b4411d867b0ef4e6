//! The guest's core module: compiled so that the folder it was built in leaves no trace.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};

use super::{Recipe, Toolchain};
use crate::run;

/// Its own target folder, so that this build and the host's never wait for each other's lock.
const TARGET_FOLDER: &str = "target/wasm";

/// The profile of the workspace's `Cargo.toml`.
const PROFILE: &str = "component";

/// Compiles a guest and gives its core module.
pub fn module(toolchain: &Toolchain, root: &Path, recipe: &Recipe) -> Result<Vec<u8>> {
    let mut cargo = toolchain.cargo();
    cargo
        .current_dir(root)
        .args(["build", "--quiet", "--locked"])
        .args(["--package", recipe.package, "--profile", PROFILE])
        .args(["--target", super::toolchain::TARGET])
        .args(["--target-dir", TARGET_FOLDER])
        // The encoded form stands above every other source of flags, so none of the person's own
        // settings changes the bytes.
        .env("CARGO_ENCODED_RUSTFLAGS", flags(toolchain, root)?.join("\x1f"));
    if !recipe.features.is_empty() {
        cargo.args(["--features", &recipe.features.join(",")]);
    }
    run::succeed(&mut cargo)?;
    let file = root
        .join(TARGET_FOLDER)
        .join(super::toolchain::TARGET)
        .join(PROFILE)
        .join(recipe.package.replace('-', "_"))
        .with_extension("wasm");
    std::fs::read(&file).with_context(|| format!("{} was not built", file.display()))
}

/// Refuses a component in which a path of this machine is left.
pub fn no_machine_paths(component: &[u8], toolchain: &Toolchain, root: &Path) -> Result<()> {
    let paths = [root.to_path_buf(), cargo_home()?, toolchain.sysroot.join("lib/rustlib")];
    for path in &paths {
        let needle = path.to_string_lossy();
        if component.windows(needle.len()).any(|window| window == needle.as_bytes()) {
            bail!("the component carries the path {needle} of this machine");
        }
    }
    Ok(())
}

/// Options of the compiler that keep the component small: the linker writes each index in as few bytes as it
/// takes (a tenth of the component), and SHA-256 is compiled as a loop (eight kilobytes).
const SMALL: [&str; 2] = ["-Clink-arg=--compress-relocations", "--cfg=sha2_backend_soft=\"compact\""];

fn flags(toolchain: &Toolchain, root: &Path) -> Result<Vec<String>> {
    let mut flags = remaps(toolchain, root)?;
    flags.extend(SMALL.map(str::to_owned));
    Ok(flags)
}

/// The compiler's options that replace this machine's folders. The last one that fits counts.
fn remaps(toolchain: &Toolchain, root: &Path) -> Result<Vec<String>> {
    let cargo_home = cargo_home()?;
    let mut pairs = vec![
        (root.to_path_buf(), "/deletegate".to_owned()),
        (cargo_home.clone(), "/cargo".to_owned()),
        // As the standard library that Rust's own project builds names itself.
        (toolchain.rust_src(), format!("/rustc/{}", toolchain.commit_hash)),
    ];
    // The folder of a registry is named after the registry and the version of cargo.
    for entry in std::fs::read_dir(cargo_home.join("registry/src")).into_iter().flatten() {
        pairs.push((entry?.path(), "/crates".to_owned()));
    }
    Ok(pairs.into_iter().map(|(from, to)| format!("--remap-path-prefix={}={to}", from.display())).collect())
}

fn cargo_home() -> Result<PathBuf> {
    match std::env::var_os("CARGO_HOME") {
        Some(folder) => Ok(PathBuf::from(folder)),
        None => Ok(std::env::home_dir().context("neither CARGO_HOME nor a home folder is set")?.join(".cargo")),
    }
}
