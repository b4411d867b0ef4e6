//! Hands the component to the library, which embeds it: `include_bytes!(concat!(env!("OUT_DIR"),
//! "/delete-records.wasm"))`.

use std::path::{Path, PathBuf};
use std::{env, fs, process};

/// Where `cargo xtask component` leaves it, from this package's folder.
const BUILT: &str = "../target/component/delete-records.wasm";

/// Names another file, for a build outside the workspace.
const VARIABLE: &str = "DELETEGATE_COMPONENT";

fn main() {
    println!("cargo::rerun-if-env-changed={VARIABLE}");
    println!("cargo::rerun-if-changed=build.rs");
    // Cargo sets both variables for every build script.
    let [package, out] =
        ["CARGO_MANIFEST_DIR", "OUT_DIR"].map(|name| PathBuf::from(env::var_os(name).unwrap_or_default()));
    let component = env::var_os(VARIABLE).map_or_else(|| package.join(BUILT), |file| package.join(file));
    println!("cargo::rerun-if-changed={}", component.display());
    if let Err(error) = fs::copy(&component, out.join("delete-records.wasm")) {
        fail(&component, &error);
    }
}

fn fail(component: &Path, error: &std::io::Error) -> ! {
    println!(
        "cargo::error=The component is not built yet: run `cargo xtask component`, or name its file in {VARIABLE} ({}: {error}).",
        component.display()
    );
    process::exit(1);
}
