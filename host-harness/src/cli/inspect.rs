//! `deletegate inspect`: what a component can touch, told without running it.

use std::path::PathBuf;

use anyhow::{Context, Result};
use delete_records::text::sentence;
use deletegate::inspect::{Item, Report, inspect};

use super::Ended;

/// Tell what a component imports and exports, whether the bridge is its only way out, and what it carries.
/// Exit code 0: sealed; 1: not sealed; 2: no component.
#[derive(clap::Args)]
pub struct Args {
    /// The component.
    #[arg(value_name = "FILE.wasm")]
    file: PathBuf,
    /// Print the report as JSON.
    #[arg(long)]
    json: bool,
}

/// Runs the command.
pub fn run(args: &Args) -> Result<Ended> {
    let name = || args.file.display().to_string();
    let bytes = std::fs::read(&args.file).with_context(|| format!("{} can't be read", name()))?;
    let report = inspect(&bytes).with_context(name)?;
    if args.json {
        println!("{}", serde_json::to_string_pretty(&report)?);
    } else {
        print(&report);
    }
    Ok(if report.sealed { Ended::Well } else { Ended::Failed })
}

/// The report for a person. What a component carries is its maker's text, so it is made safe to show.
fn print(report: &Report) {
    let carried = &report.carried;
    let line = |what: &str, text: Option<&str>| {
        if let Some(text) = text {
            println!("{what:<12}{}", sentence(text));
        }
    };
    line("name", carried.name.as_deref());
    line("version", carried.version.as_deref());
    line("about", carried.description.as_deref());
    line("licence", carried.license.as_deref());
    line("revision", carried.revision.as_deref());
    line("WIT", report.wit_version.as_deref());
    line("size", Some(&format!("{} bytes", report.size)));
    line("sha256", Some(&report.sha256));
    for producer in &carried.producers {
        line("made with", Some(&format!("{} {}", producer.name, producer.version)));
    }
    items("imports", &report.imports);
    items("exports", &report.exports);
    for interface in &carried.docs {
        println!("\n{}\n  {}", sentence(&interface.name), sentence(&interface.docs));
        for function in &interface.functions {
            println!("  {}: {}", sentence(&function.name), sentence(&function.docs));
        }
    }
    println!("\n{}: {}", if report.sealed { "SEALED" } else { "NOT SEALED" }, sentence(&report.why));
}

fn items(what: &str, items: &[Item]) {
    if items.is_empty() {
        println!("{what:<12}nothing");
    }
    for item in items {
        println!("{what:<12}{}", sentence(&item.name));
        for function in &item.functions {
            println!("{:<12}  {}", "", sentence(function));
        }
    }
}
