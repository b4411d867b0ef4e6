//! `deletegate validate`: everything that is wrong with a configuration, at once.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use deletegate::config::{self, Config, Engine, Finding, Weight};
use serde_json::json;

use super::Ended;
use super::access;

/// Say everything that is wrong with a configuration file, each with its line. Exit code 0: it can be used; 1: it can't.
///
/// Where the engine is known (in the file, or by --engine), its tables and columns are looked up too.
#[derive(clap::Args)]
pub struct Args {
    /// The configuration file (TOML).
    #[arg(value_name = "FILE", default_value = "deletegate.toml")]
    file: PathBuf,
    /// Where the records are: sqlite:PATH; by default as the file says.
    #[arg(long, value_name = "ENGINE")]
    engine: Option<String>,
    /// Print the findings as JSON.
    #[arg(long)]
    json: bool,
}

/// Runs the command.
pub fn run(args: &Args) -> Result<Ended> {
    let file = args.file.display();
    let text = std::fs::read_to_string(&args.file).with_context(|| format!("{file} can't be read"))?;
    let base = args.file.parent().unwrap_or(Path::new(""));
    let mut findings = config::findings(&text, base);
    let unseen = database(args, &text, base, &mut findings)?;
    let count =
        |warning: bool| findings.iter().filter(|finding| (finding.weight == Weight::Warning) == warning).count();
    let (mistakes, warnings) = (count(false), count(true));
    if args.json {
        let list: Vec<_> = findings.iter().map(|finding| {
            json!({ "line": finding.line, "warning": finding.weight == Weight::Warning, "message": finding.message })
        }).collect();
        let report = json!({
            "file": args.file, "mistakes": mistakes, "warnings": warnings, "findings": list,
            "databaseNotLookedAt": unseen,
        });
        println!("{}", serde_json::to_string_pretty(&report)?);
    } else {
        for finding in &findings {
            println!("{file}, {finding}");
        }
        let many = |count: usize, noun: &str| format!("{count} {noun}{}", if count == 1 { "" } else { "s" });
        println!("{file}: {}, {}.", many(mistakes, "mistake"), many(warnings, "warning"));
        if let Some(why) = unseen {
            println!("The database was not looked at: {why}.");
        }
    }
    Ok(if mistakes == 0 { Ended::Well } else { Ended::Failed })
}

/// Adds what the database tells; gives the reason where it was not asked.
fn database(args: &Args, text: &str, base: &Path, findings: &mut Vec<Finding>) -> Result<Option<String>> {
    if findings.iter().any(|finding| finding.weight != Weight::Warning) {
        return Ok(Some("the mistakes come first".to_owned()));
    }
    let config = Config::parse(text, base)?;
    let engine = match &args.engine {
        Some(engine) => Engine::parse(engine, Path::new("")).map_err(anyhow::Error::msg)?,
        None => match &config.engine {
            Some(engine) => engine.clone(),
            None => return Ok(Some("the file names no engine, and there is no --engine".to_owned())),
        },
    };
    match access::runtime()?.block_on(config::verify(text, &config, &engine)) {
        Ok(told) => findings.extend(told),
        Err(error) => return Ok(Some(error.to_string())),
    }
    findings.sort_by_key(|finding| (finding.line, finding.weight));
    Ok(None)
}
