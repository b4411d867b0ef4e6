//! `deletegate demo`: one exchange of an agent with a small CRM, from the refused first call to what is left.

mod crm;

use std::path::{Path, PathBuf};

use anyhow::{Result, bail};
use deletegate::plugin::{Approval, Cancel, Reply, Request};
use deletegate::tools::{Action, Scopes};
use serde_json::{Value, json};

use super::Ended;
use super::access::{Access, Session};
use super::call;
use super::show;
use crm::{Crm, Engine};

const TOOL: &str = "delete_records";

/// Make a small CRM database in a temporary folder, and let an agent delete from it.
#[derive(clap::Args)]
pub struct Args {
    /// Where the CRM is. A PostgreSQL server is started for it, and stopped at the end.
    #[arg(long, value_enum, default_value_t = Engine::Sqlite)]
    engine: Engine,
    /// Remove the folder at the end; by default it stays, to be tried out.
    #[arg(long)]
    clean: bool,
}

/// Runs the command.
pub fn run(args: &Args) -> Result<Ended> {
    let crm = Crm::make(args.engine)?;
    let config = crm.config();
    let ana = open(&config, "ana")?;
    println!("{}", crm.place());
    println!("A trigger locks the tasks of a closed period; ana works in the north, bo in the south.");

    step("An agent, working for ana, cleans up. A slip of the pen does not widen the deletion:");
    exchange(&ana, &json!({ "objectName": "crm_task", "where": { "stauts": "done" } }))?;

    step("Its first real call deletes nothing; it brings a preview:");
    let done = json!({ "objectName": "crm_task", "where": { "status": "done", "due": { "$lt": "2026-07-01" } } });
    let preview = exchange(&ana, &done)?;

    step("ana has seen it and agrees. The agent confirms exactly what was shown:");
    let mut confirmed = done.clone();
    confirmed["confirm"] = true.into();
    confirmed["previewDigest"] = preview["preview"]["digest"].clone();
    exchange(&ana, &confirmed)?;

    step("The same call again: what was shown is not what there is now, so nothing goes:");
    exchange(&ana, &confirmed)?;

    step("bo sees other records. For him ana's tasks are not there, by any filter or id:");
    let bo = open(&config, "bo")?;
    exchange(&bo, &json!({ "objectName": "crm_task", "recordIds": ["T-101", "T-201"] }))?;

    step("Accounts take more than a claim: a person is asked, and types what would go:");
    ask(&bo, &json!({ "objectName": "crm_account", "where": { "region": "south" }, "confirm": true }))?;

    step("What is left:");
    for line in crm.left()? {
        println!("  {line}");
    }
    // The connections end before the server does.
    drop((ana, bo));
    ending(if args.clean { None } else { crm.keep() });
    Ok(Ended::Well)
}

fn open(config: &Path, actor: &str) -> Result<Session> {
    let config = Some(config.to_owned());
    Access { engine: None, actor: Some(actor.to_owned()), system: false, config, component: None }.open()
}

fn step(sentence: &str) {
    println!("\n\u{2014} {sentence}\n");
}

/// Makes one call, shows both sides of it, and gives the answer.
fn exchange(session: &Session, arguments: &Value) -> Result<Value> {
    tell(session.call(request(arguments, None)))
}

/// Makes a call that a person is asked about, answers for them, and calls again.
fn ask(session: &Session, arguments: &Value) -> Result<()> {
    let Reply::Asks { question, asked } = session.call(request(arguments, None)) else {
        bail!("the component should have asked a person");
    };
    println!("  asked:  {}", question.message);
    let typed = question.typed.map(|typed| {
        println!("          {}: {}", typed.description, typed.expected);
        typed.expected
    });
    tell(session.call(request(arguments, Some(Approval { action: Action::Accept, typed, asked }))))?;
    Ok(())
}

/// One call of the agent; it is shown unless a person's answer repeats it.
fn request(arguments: &Value, approval: Option<Approval>) -> Request {
    if approval.is_none() {
        println!("  agent:  {TOOL} {arguments}");
    }
    Request {
        tool: TOOL.to_owned(),
        arguments: arguments.to_string(),
        scopes: Scopes::DATA_READ | Scopes::DATA_WRITE,
        approval,
        cancel: Cancel::default(),
    }
}

fn tell(reply: Reply) -> Result<Value> {
    let answer = call::answer(reply, TOOL);
    let json: Value = serde_json::from_str(&answer.json)?;
    let mut shown = show::answer(&json);
    if let Some(preview) = json.get("preview") {
        shown = format!("{shown}\n{}", show::preview(preview));
    }
    println!("  answer: {}", shown.trim().replace('\n', "\n          "));
    Ok(json)
}

fn ending(kept: Option<PathBuf>) {
    println!("\nEach of these calls ran in a fresh sandbox whose only way out are four functions of a bridge.");
    if let Some(folder) = kept {
        println!("\nGo on with it:");
        println!(
            "  deletegate delete crm_note --where '{{}}' --actor ana --config {}",
            folder.join("crm.toml").display()
        );
    }
    println!("\nYour own database (nothing is deleted without \"confirm\": true):");
    println!("  deletegate call delete_records '{{\"objectName\": \"YOUR_TABLE\", \"where\": {{}}}}' \\");
    println!("    --engine sqlite:PATH/TO/YOUR.db --actor YOU        (or --engine postgres://USER@HOST/DATABASE)");
}
