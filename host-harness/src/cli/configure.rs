//! `deletegate configure`: changes one key of the configuration, and keeps everything else in the file.

use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use deletegate::config;

use super::Ended;

/// Set one key of the configuration file; comments stay. The file is made where there is none.
///
/// Keys are written as in TOML, with dots between tables: tools.delete_record, objects."my table".cap. A text may be
/// written bare; lists and tables are written as in TOML: '["project_id"]', '{ object = "event", … }'.
#[derive(clap::Args)]
pub struct Args {
    /// The key, for example tools.delete_record.
    key: String,
    /// Its value.
    #[arg(required_unless_present = "unset", conflicts_with = "unset", allow_hyphen_values = true)]
    value: Option<String>,
    /// Take the key out, so that its default holds.
    #[arg(long)]
    unset: bool,
    /// The configuration file (TOML).
    #[arg(long, value_name = "FILE", default_value = "deletegate.toml")]
    config: PathBuf,
}

/// Runs the command.
pub fn run(args: &Args) -> Result<Ended> {
    let file = args.config.display();
    let before = match std::fs::read_to_string(&args.config) {
        Ok(text) => text,
        Err(error) if error.kind() == ErrorKind::NotFound => String::new(),
        Err(error) => return Err(error).with_context(|| format!("{file} can't be read")),
    };
    let base = args.config.parent().unwrap_or(Path::new(""));
    let after = match &args.value {
        Some(value) => config::set(&before, &args.key, value, base)?,
        None => config::unset(&before, &args.key, base)?,
    };
    if after == before {
        println!("{file} stays as it is.");
        return Ok(Ended::Well);
    }
    std::fs::write(&args.config, after).with_context(|| format!("{file} can't be written"))?;
    match &args.value {
        Some(value) => println!("{file}: {} is {value}", args.key),
        None => println!("{file}: {} is no longer set", args.key),
    }
    Ok(Ended::Well)
}
