//! `deletegate call`: one call of a tool, for programs.

use std::io::Read;

use anyhow::{Context, Result};
use delete_records::json::{Json, object};
use deletegate::plugin::{Approval, Cancel, Reply, Request};
use deletegate::tools::{Action, Answer, Scopes};

use super::Ended;
use super::access::Access;

/// Make one call and print the answer as JSON. Exit code 0: answered; 1: a failed answer; 2: wrong use.
///
/// Where a deletion needs a person's answer, none can be asked here: the answer then names the command for them.
#[derive(clap::Args)]
pub struct Args {
    /// The tool, for example delete_records.
    tool: String,
    /// Its arguments: JSON, @FILE to read a file, or - to read standard input.
    arguments: String,
    #[command(flatten)]
    access: Access,
}

/// Runs the command.
pub fn run(args: &Args) -> Result<Ended> {
    let arguments = match args.arguments.strip_prefix('@') {
        Some(file) => std::fs::read_to_string(file).with_context(|| format!("the arguments in {file} can't be read"))?,
        None if args.arguments == "-" => {
            let mut text = String::new();
            std::io::stdin().read_to_string(&mut text).context("the arguments on standard input can't be read")?;
            text
        }
        None => args.arguments.clone(),
    };
    let session = args.access.open()?;
    let request = Request {
        tool: args.tool.clone(),
        arguments,
        scopes: Scopes::DATA_READ | Scopes::DATA_WRITE,
        approval: None,
        cancel: Cancel::default(),
    };
    let reply = match session.call(request.clone()) {
        Reply::Asks { asked, .. } => {
            let approval = Some(Approval { action: Action::Unavailable, typed: None, asked });
            session.call(Request { approval, ..request })
        }
        reply => reply,
    };
    let answer = answer(reply, &args.tool);
    println!("{}", answer.json);
    Ok(if answer.failed { Ended::Failed } else { Ended::Well })
}

/// The answer of a call that has no more to ask.
pub fn answer(reply: Reply, tool: &str) -> Answer {
    let error = |code: &str, status: u16, message: String| {
        let error = object([
            ("code", Json::text(code)),
            ("status", Json::number(status)),
            ("message", Json::text(message)),
        ]);
        Answer { failed: true, json: object([("error", error)]).write() }
    };
    match reply {
        Reply::Answered(answer) => answer,
        Reply::UnknownTool => {
            error("UNKNOWN_TOOL", 404, format!("There is no tool {tool:?} here; `deletegate tools` lists them."))
        }
        // The guard lets no guest ask about what was answered; a guest that asks for ever gets no further.
        Reply::Asks { .. } => error("GUEST_VIOLATION", 500, "The guest asked again after an answer.".to_owned()),
    }
}
