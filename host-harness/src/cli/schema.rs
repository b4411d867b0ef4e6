//! `deletegate schema`: the JSON Schema of the configuration, for editors.

use anyhow::Result;
use deletegate::config;

use super::Ended;

/// Print the JSON Schema of the configuration file, for an editor that checks TOML with one.
#[derive(clap::Args)]
pub struct Args {}

/// Runs the command.
pub fn run(_: &Args) -> Result<Ended> {
    println!("{}", serde_json::to_string_pretty(&config::schema())?);
    Ok(Ended::Well)
}
