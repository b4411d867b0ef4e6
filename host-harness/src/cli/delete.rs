//! `deletegate delete`: the same deletion for a person at a terminal, who sees it, is asked, and deletes.

use std::io::{BufRead, IsTerminal, Write};

use anyhow::{Context, Result, bail};
use delete_records::json::Json;
use deletegate::bridge::Watched;
use deletegate::plugin::{Approval, Cancel, Reply, Request};
use deletegate::tools::{Action, Answer, Consent, Question, Scopes};
use serde_json::Value;

use super::Ended;
use super::access::{Access, Session};
use super::call;
use super::progress;
use super::show;

/// The one tool that a person needs: it takes a single id too.
const TOOL: &str = "delete_records";

/// Show what would be deleted, ask, and delete. Needs a terminal: a program uses `deletegate call`.
#[derive(clap::Args)]
#[command(group(clap::ArgGroup::new("records").required(true).args(["where", "id"])))]
pub struct Args {
    /// The object to delete from, by its exact name.
    object: String,
    /// A filter, as JSON: {"status": "done"}; {} means every record.
    #[arg(long = "where", value_name = "JSON")]
    r#where: Option<String>,
    /// Continue behind the record with this id.
    #[arg(long, value_name = "ID", requires = "where", allow_hyphen_values = true)]
    after: Option<String>,
    /// The id of a record, as a preview shows it; again for each.
    #[arg(long, value_name = "ID", allow_hyphen_values = true)]
    id: Vec<String>,
    #[command(flatten)]
    access: Access,
}

/// Runs the command: one batch of at most the cap after another, each with its own preview and question.
pub fn run(args: &Args) -> Result<Ended> {
    if !(std::io::stdin().is_terminal() && std::io::stderr().is_terminal()) {
        bail!("there is nobody to ask here: `deletegate delete` needs a terminal. A program uses `deletegate call`");
    }
    let session = args.access.open()?;
    let cancel = Cancel::default();
    let stop = cancel.clone();
    // The record in flight is finished, and what went is told.
    ctrlc::set_handler(move || stop.cancel()).context("Ctrl-C can't be handled")?;
    let mut arguments = arguments(args)?;
    loop {
        let Some((answer, last)) = batch(&session, &arguments, &cancel)? else { return Ok(Ended::Failed) };
        let json: Value = serde_json::from_str(&answer.json)?;
        println!("{}", show::answer(&json));
        if answer.failed {
            return Ok(Ended::Failed);
        }
        let Some(next) = json["next"].as_str() else { return Ok(Ended::Well) };
        eprintln!("{next}");
        // Records that stayed would be met again.
        if json["refused"] != 0 || json["notRemoved"] != Value::Array(Vec::new()) {
            arguments.retain(|(name, _)| name != "after");
            arguments.extend(last.map(|id| ("after".to_owned(), id)));
        }
        if !yes("Show the next ones?")? {
            return Ok(Ended::Well);
        }
    }
}

/// The arguments of a call, as they will be written: a number keeps its digits.
type Arguments = Vec<(String, Json)>;

/// One preview, one question, one deletion, and the id that was attempted last; none where nothing was to be
/// deleted or the person said no.
fn batch(session: &Session, arguments: &Arguments, cancel: &Cancel) -> Result<Option<(Answer, Option<Json>)>> {
    let request = |confirm: bool, digest: Option<&str>, approval: Option<Approval>| {
        let mut arguments = arguments.clone();
        arguments.push(("confirm".to_owned(), Json::Bool(confirm)));
        arguments.extend(digest.map(|digest| ("previewDigest".to_owned(), Json::text(digest))));
        Request {
            tool: TOOL.to_owned(),
            arguments: Json::Object(arguments).write(),
            scopes: Scopes::DATA_READ | Scopes::DATA_WRITE,
            approval,
            cancel: cancel.clone(),
        }
    };
    let shown = call::answer(session.call(request(false, None, None)), TOOL);
    let json: Value = serde_json::from_str(&shown.json)?;
    let Some(preview) = json.get("preview").filter(|_| json["error"]["status"] == 428) else {
        return Ok(Some((shown, None)));
    };
    eprintln!("{}", show::preview(preview));
    let count = preview["wouldAttempt"].as_u64().unwrap_or_default();
    if count == 0 {
        eprintln!("There is nothing to delete.");
        return Ok(None);
    }
    let digest = preview["digest"].as_str();
    let mut last = None;
    let mut delete = |approval| {
        // Anew for each call: the time that a person takes to answer is not the call's.
        let mut bridge = Watched::new(session.bridge(), progress::show);
        let request = request(true, digest, approval);
        let reply = session.call_over(&mut bridge, request);
        progress::clear(bridge.attempted());
        last = bridge.last();
        reply
    };
    // Where the rule wants a person's answer the component asks by itself, and nothing has gone yet.
    let reply = if matches!(session.consent(preview["object"].as_str()), Consent::Accept | Consent::Typed) {
        match delete(None) {
            Reply::Asks { question, asked } => {
                let (action, typed) = put(&question)?;
                delete(Some(Approval { action, typed, asked }))
            }
            reply => reply,
        }
    } else if yes("Delete them?")? {
        delete(None)
    } else {
        eprintln!("Nothing was deleted.");
        return Ok(None);
    };
    Ok(Some((call::answer(reply, TOOL), last)))
}

fn arguments(args: &Args) -> Result<Arguments> {
    let mut arguments = vec![("objectName".to_owned(), Json::text(&args.object))];
    if let Some(filter) = &args.r#where {
        arguments.push(("where".to_owned(), json(filter).context("--where can't be read")?));
    }
    if let Some(after) = &args.after {
        arguments.push(("after".to_owned(), id(after)?));
    }
    if !args.id.is_empty() {
        let ids = args.id.iter().map(|text| id(text)).collect::<Result<Vec<_>>>()?;
        arguments.push(("recordIds".to_owned(), Json::List(ids)));
    }
    Ok(arguments)
}

/// An id as it was typed: JSON for a key of several fields, else text.
fn id(text: &str) -> Result<Json> {
    match text.starts_with('{') {
        true => json(text).with_context(|| format!("the id {text} can't be read")),
        false => Ok(Json::text(text)),
    }
}

fn json(text: &str) -> Result<Json> {
    Json::read(text).map_err(|wrong| anyhow::Error::msg(wrong.0))
}

/// Puts the component's question, and brings back what the person answered.
fn put(question: &Question) -> Result<(Action, Option<String>)> {
    eprintln!("{}", question.message);
    let Some(typed) = &question.typed else {
        return Ok((if yes("Go ahead?")? { Action::Accept } else { Action::Decline }, None));
    };
    let line = ask(&format!("{}: ", typed.description))?;
    Ok(match line {
        Some(line) if !line.is_empty() => (Action::Accept, Some(line)),
        _ => (Action::Cancel, None),
    })
}

/// Asks for a yes; anything else is a no.
fn yes(question: &str) -> Result<bool> {
    let line = ask(&format!("{question} [y/N] "))?;
    Ok(line.is_some_and(|line| ["y", "yes"].contains(&line.trim().to_ascii_lowercase().as_str())))
}

/// One line from the terminal; none at its end.
fn ask(prompt: &str) -> Result<Option<String>> {
    eprint!("{prompt}");
    std::io::stderr().flush()?;
    let mut line = String::new();
    let read = std::io::stdin().lock().read_line(&mut line)?;
    let line = line.strip_suffix('\n').unwrap_or(&line);
    Ok((read > 0).then(|| line.strip_suffix('\r').unwrap_or(line).to_owned()))
}
