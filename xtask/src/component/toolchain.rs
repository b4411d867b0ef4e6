//! Finding, or fetching, a Rust that compiles for wasm32-unknown-unknown.
//!
//! What lies at hand comes before anything is fetched: the target's own standard library, then a
//! compiler that lies beside its sources and so can build that library, as Debian ships one. Only then
//! rustup is asked for the target, and last, Debian's packages are installed.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use anyhow::{Context, Result};

use crate::{debian, run};

/// std for a WASI target would import `wasi:*`; the promise is that the bridge is the only import.
pub const TARGET: &str = "wasm32-unknown-unknown";

/// Long enough for a slow line; a machine without rustup's server fails within seconds.
const RUSTUP_BOUND: Duration = Duration::from_secs(120);

/// Debian's compiler, its cargo and the sources of its standard library, in a release that a browser
/// needs and that therefore is recent.
const DEBIAN_PACKAGES: [&str; 3] = ["rustc-web", "cargo-web", "rust-web-src"];

/// A compiler and all that a build for [`TARGET`] takes.
pub struct Toolchain {
    cargo: PathBuf,
    rustc: PathBuf,
    /// Set where the standard library must be built too: the linker for it, which Debian leaves out.
    build_std: Option<PathBuf>,
    /// The compiler's own folder.
    pub sysroot: PathBuf,
    /// The commit of the compiler.
    pub commit_hash: String,
    /// As the compiler names its release.
    pub release: String,
}

impl Toolchain {
    /// Finds one, fetching it where that is possible.
    pub fn find(root: &Path) -> Result<Self> {
        if let Some(toolchain) = Self::at_hand(root)? {
            return Ok(toolchain);
        }
        eprintln!("    this Rust has no standard library for {TARGET}: asking rustup for it");
        let mut rustup = Command::new("rustup");
        rustup.args(["target", "add", TARGET]).current_dir(root);
        if !run::succeeds_within(&mut rustup, RUSTUP_BOUND) {
            eprintln!("    rustup can't add it here: trying Debian's compiler");
            debian::install(&DEBIAN_PACKAGES, &advice())?;
        }
        Self::at_hand(root)?.with_context(|| format!("no Rust that compiles for {TARGET} was found: {}", advice()))
    }

    /// Cargo, set up for a build with this toolchain.
    pub fn cargo(&self) -> Command {
        let mut command = Command::new(&self.cargo);
        command.env("RUSTC", &self.rustc);
        if let Some(linker) = &self.build_std {
            command
                .env("CARGO_TARGET_WASM32_UNKNOWN_UNKNOWN_LINKER", linker)
                // The stable way to a target's standard library is rustup; where it can't be had,
                // this builds the same library from the compiler's own sources.
                .env("RUSTC_BOOTSTRAP", "1")
                .env("CARGO_UNSTABLE_BUILD_STD", "std,panic_abort");
        }
        command
    }

    /// Where the standard library's sources lie, if they do.
    pub fn rust_src(&self) -> PathBuf {
        self.sysroot.join("lib/rustlib/src/rust")
    }

    fn at_hand(root: &Path) -> Result<Option<Self>> {
        let own = Self::describe(run::cargo(), "rustc".into(), root)?;
        if own.has_std() {
            eprintln!("    rustc {} with its own std for {TARGET}", own.release);
            return Ok(Some(own));
        }
        let (cargo, rustc) = (Path::new("/usr/bin/cargo"), Path::new("/usr/bin/rustc"));
        if !cargo.exists() || !rustc.exists() {
            return Ok(None);
        }
        let mut debian = Self::describe(cargo.into(), rustc.into(), root)?;
        let recent = minor(&debian.release) >= minor(env!("CARGO_PKG_RUST_VERSION"));
        if !recent || !debian.rust_src().join("library/std/Cargo.toml").exists() {
            return Ok(None);
        }
        let Some(linker) = [&own, &debian].into_iter().find_map(Self::rust_lld) else {
            return Ok(None);
        };
        eprintln!(
            "    {} {}, which builds std for {TARGET} from its own sources; linked by {}",
            rustc.display(),
            debian.release,
            linker.display()
        );
        debian.build_std = Some(linker);
        Ok(Some(debian))
    }

    fn describe(cargo: PathBuf, rustc: PathBuf, root: &Path) -> Result<Self> {
        let ask = |args: &[&str]| run::output(Command::new(&rustc).args(args).current_dir(root));
        let version = ask(&["-vV"])?;
        let line =
            |name: &str| version.lines().find_map(|line| line.strip_prefix(name)).map(|value| value.trim().to_owned());
        Ok(Self {
            sysroot: PathBuf::from(ask(&["--print", "sysroot"])?.trim()),
            commit_hash: line("commit-hash:").context("rustc -vV names its commit")?,
            release: line("release:").context("rustc -vV names its release")?,
            build_std: None,
            cargo,
            rustc,
        })
    }

    fn has_std(&self) -> bool {
        let folder = self.sysroot.join("lib/rustlib").join(TARGET).join("lib");
        std::fs::read_dir(folder)
            .into_iter()
            .flatten()
            .flatten()
            .any(|entry| entry.file_name().to_string_lossy().starts_with("libstd-"))
    }

    /// The linker that rustup's toolchains bring along.
    fn rust_lld(&self) -> Option<PathBuf> {
        std::fs::read_dir(self.sysroot.join("lib/rustlib"))
            .ok()?
            .flatten()
            .map(|entry| entry.path().join("bin/rust-lld"))
            .find(|file| file.exists())
    }
}

/// The second number of a release: `1.96.0` gives 96.
fn minor(release: &str) -> Option<u32> {
    release.split('.').nth(1)?.parse().ok()
}

fn advice() -> String {
    format!(
        "install the target with `rustup target add {TARGET}`, or on Debian, as root, `apt-get install {}` \
         beside a Rust of rustup, whose linker rust-lld is used",
        DEBIAN_PACKAGES.join(" ")
    )
}
