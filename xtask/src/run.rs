//! Running other programs, step by step, so that a failure says which step it was.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};

/// How often a program with a bound is looked at.
const POLL: Duration = Duration::from_millis(100);

/// The workspace's folder.
pub fn workspace() -> Result<PathBuf> {
    // At run time where cargo started this program, so that a moved tree is still found.
    let manifest =
        std::env::var_os("CARGO_MANIFEST_DIR").map_or_else(|| PathBuf::from(env!("CARGO_MANIFEST_DIR")), PathBuf::from);
    let root = manifest.parent().context("the folder xtask/ lies in the workspace")?;
    Ok(root.canonicalize()?)
}

/// The cargo that started this program, or the one on the path.
pub fn cargo() -> PathBuf {
    std::env::var_os("CARGO").map_or_else(|| PathBuf::from("cargo"), PathBuf::from)
}

/// Says what is being done, does it, and says how long it took.
pub fn step<T>(what: &str, work: impl FnOnce() -> Result<T>) -> Result<T> {
    eprintln!("==> {what}");
    let start = Instant::now();
    let done = work().with_context(|| format!("this step failed: {what}"))?;
    eprintln!("    {:.1} s", start.elapsed().as_secs_f64());
    Ok(done)
}

/// Runs a program to its end with this program's own output; anything but success is an error.
pub fn succeed(command: &mut Command) -> Result<()> {
    let shown = shown(command);
    let status = command.status().with_context(|| format!("`{shown}` can't be started"))?;
    if !status.success() {
        bail!("`{shown}` ended with {status}");
    }
    Ok(())
}

/// Runs cargo in the workspace.
pub fn cargo_in<S: AsRef<OsStr>>(root: &Path, args: impl IntoIterator<Item = S>) -> Result<()> {
    succeed(Command::new(cargo()).args(args).current_dir(root))
}

/// A program of this workspace, as cargo left it in the folder of a profile.
pub fn program(root: &Path, profile: &str, name: &str) -> Result<PathBuf> {
    let mut program = target_folder(root)?.join(profile).join(name);
    program.set_extension(std::env::consts::EXE_EXTENSION);
    Ok(program)
}

/// Where cargo builds, which the person's own settings may have moved.
pub fn target_folder(root: &Path) -> Result<PathBuf> {
    let json =
        output(Command::new(cargo()).args(["metadata", "--no-deps", "--format-version", "1"]).current_dir(root))?;
    let metadata: serde_json::Value = serde_json::from_str(&json)?;
    let folder = metadata["target_directory"].as_str().context("cargo metadata names the target folder")?;
    Ok(folder.into())
}

/// Runs a program and gives its standard output; anything but success is an error.
pub fn output(command: &mut Command) -> Result<String> {
    let shown = shown(command);
    let output = command.stdin(Stdio::null()).output().with_context(|| format!("`{shown}` can't be started"))?;
    if !output.status.success() {
        bail!("`{shown}` ended with {}: {}", output.status, String::from_utf8_lossy(&output.stderr).trim());
    }
    String::from_utf8(output.stdout).with_context(|| format!("`{shown}` printed no UTF-8"))
}

/// Whether a program succeeded within a bound; one that did not end by then is ended.
pub fn succeeds_within(command: &mut Command, bound: Duration) -> bool {
    let Ok(mut child) = command.stdin(Stdio::null()).spawn() else {
        return false;
    };
    let start = Instant::now();
    while start.elapsed() < bound {
        match child.try_wait() {
            Ok(Some(status)) => return status.success(),
            Ok(None) => std::thread::sleep(POLL),
            Err(_) => break,
        }
    }
    // It may have ended by itself meanwhile, which is as good.
    let _ = child.kill();
    let _ = child.wait();
    false
}

fn shown(command: &Command) -> String {
    let mut words = vec![command.get_program().to_string_lossy()];
    words.extend(command.get_args().map(OsStr::to_string_lossy));
    words.join(" ")
}
