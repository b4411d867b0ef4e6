//! Runs a case on a host, and says what is not as the case wants it.

use std::collections::BTreeMap;
use std::sync::Arc;

use anyhow::{Context, bail, ensure};
use deletegate::bridge::memory::{Change, Scripted, Trace, Traced};
use deletegate::tools::Outcome;
use serde_json::{Value as Json, json};

use crate::arguments;
use crate::case::{Body, Call, Caller, Case, Expect};
use crate::engine::{AsAnother, Boxed, Engine};
use crate::fixture::Fixture;
use crate::host::Host;
use crate::policy::{Asked, Request};

/// What came of one call.
#[derive(Clone, Debug)]
pub struct Seen {
    /// The arguments as they went.
    pub arguments: String,
    /// The outcome's name in WIT.
    pub outcome: &'static str,
    /// MCP's `isError`, of an answer.
    pub failed: Option<bool>,
    /// The answer's own bytes, or the question's message.
    pub text: String,
    /// The answer, or the question without its digest.
    pub json: Json,
    /// The calls of the bridge.
    pub trace: Vec<String>,
}

/// What came of a case.
#[derive(Clone, Debug)]
pub struct Run {
    /// Each call, in order.
    pub seen: Vec<Seen>,
    /// The ids that were there at first and are there in the end.
    pub left: [BTreeMap<String, Json>; 2],
}

/// Makes the calls of a case.
pub fn make(body: &Body, host: &Host) -> anyhow::Result<Run> {
    let fixture = Fixture::of(body)?;
    let engine = host.engine.start(&fixture.tables)?;
    let first = engine.left()?;
    let (mut digest, mut asked) = (None, None);
    let mut seen = Vec::new();
    for call in &body.calls {
        for change in &call.changes {
            engine.apply(change)?;
        }
        let request = request(call, digest.as_deref(), asked.as_ref())?;
        let arguments = request.arguments.clone();
        let trace = Trace::default();
        let mut bridge = bridge(&engine, host, &body.caller, call, &trace);
        let (outcome, question) = host.policy.call(&mut bridge, &fixture.settings, request)?;
        asked = question.or(asked);
        let one = see(arguments, outcome, trace.take())?;
        let shown = one.json.pointer("/preview/digest").and_then(Json::as_str);
        digest = shown.map(str::to_owned).or(digest);
        seen.push(one);
    }
    Ok(Run { seen, left: [first, engine.left()?] })
}

fn request(call: &Call, digest: Option<&str>, asked: Option<&Asked>) -> anyhow::Result<Request> {
    let arguments = match (&call.arguments, &call.text) {
        (Some(arguments), None) => arguments::compact(arguments, digest)?,
        (None, Some(text)) => text.expand(),
        _ => bail!("a call has either arguments or text"),
    };
    let approval = match &call.approval {
        None => None,
        Some(given) => {
            let asked = asked.context("nothing has been asked yet")?;
            Some((given.action()?, given.typed.clone(), asked.clone()))
        }
    };
    Ok(Request { tool: call.tool.clone(), arguments, scopes: call.scopes()?, approval })
}

/// The caller's bridge as this call of the case has it.
fn bridge(
    engine: &Arc<dyn Engine>,
    host: &Host,
    caller: &Caller,
    call: &Call,
    trace: &Trace,
) -> Traced<Scripted<Boxed>> {
    let mut lent = engine.bridge(caller);
    if host.removes_as_another {
        let system = Caller { actor: None, system: true };
        lent = Box::new(AsAnother { own: lent, other: engine.bridge(&system) });
    }
    let apply: Arc<dyn Fn(&Change) + Send + Sync> = {
        let engine = engine.clone();
        Arc::new(move |change| engine.apply(change).expect("a case changes what is there"))
    };
    let scripted = Scripted::new(Boxed(lent), crate::script::steps(&call.bridge, &apply));
    Traced::new(scripted, trace.clone())
}

fn see(arguments: String, outcome: Outcome, trace: Vec<String>) -> anyhow::Result<Seen> {
    Ok(match outcome {
        Outcome::Answered(answer) => {
            let json = serde_json::from_str(&answer.json)
                .with_context(|| format!("the answer is not JSON: {}", answer.json))?;
            Seen { arguments, outcome: "answered", failed: Some(answer.failed), text: answer.json, json, trace }
        }
        Outcome::Asks(question) => {
            let typed =
                question.typed.map(|typed| json!({ "expected": typed.expected, "description": typed.description }));
            let json = json!({ "message": question.message, "typed": typed });
            Seen { arguments, outcome: "asks", failed: None, text: json.to_string(), json, trace }
        }
        Outcome::UnknownTool => {
            Seen { arguments, outcome: "unknown-tool", failed: None, text: String::new(), json: Json::Null, trace }
        }
    })
}

/// Runs the case, and fails with everything that is not as it should be.
pub fn check(case: &Case, host: &Host) -> anyhow::Result<Run> {
    let run = make(&case.body, host)?;
    let mut faults = Vec::new();
    for (at, (seen, call)) in run.seen.iter().zip(&case.body.calls).enumerate() {
        let found = decided(seen, call).and_then(|()| worded(seen, &call.expect));
        if let Err(fault) = found {
            faults.push(format!("call {}: {fault:#}", at + 1));
        }
    }
    if let Err(fault) = left(&run, &case.body) {
        faults.push(format!("{fault:#}"));
    }
    ensure!(faults.is_empty(), "{}\n{}", case.body.about, faults.join("\n"));
    Ok(run)
}

/// What the contract decides and people write down: everything but the wording.
pub fn decided(seen: &Seen, call: &Call) -> anyhow::Result<()> {
    let expect = &call.expect;
    let context = || format!("the answer was {}", cut(&seen.text));
    let same = |name: &str, is: Json, wanted: Json| -> anyhow::Result<()> {
        ensure!(is == wanted, "{name} is {is}, not {wanted}");
        Ok(())
    };
    let error = |member: &str| seen.json.pointer(&format!("/error/{member}")).cloned().unwrap_or_default();
    same("outcome", json!(seen.outcome), json!(expect.outcome)).with_context(context)?;
    same("failed", json!(seen.failed), json!(expect.failed)).with_context(context)?;
    same("code", error("code"), json!(expect.code)).with_context(context)?;
    same("status", error("status"), json!(expect.status)).with_context(context)?;
    says(&seen.json, &expect.says, "").with_context(context)?;
    for text in &expect.mentions {
        ensure!(seen.text.contains(text.as_str()), "{text:?} does not stand in the answer: {}", cut(&seen.text));
    }
    for text in &expect.never {
        ensure!(!seen.text.contains(text.as_str()), "{text:?} stands in the answer: {}", cut(&seen.text));
    }
    if let Some(wanted) = &call.trace {
        ensure!(seen.trace == *wanted, "the bridge was asked\n  {}\nnot\n  {}", lines(&seen.trace), lines(wanted));
    }
    Ok(())
}

/// The whole answer, byte for byte but for the digests.
fn worded(seen: &Seen, expect: &Expect) -> anyhow::Result<()> {
    let wanted = match seen.outcome {
        "answered" => &expect.answer,
        "asks" => &expect.question,
        _ => return Ok(()),
    };
    let wanted = wanted.as_ref().context("no whole answer is written down yet; BLESS=1 writes it")?;
    let is = mask(&seen.text);
    let wanted = wanted.to_string();
    ensure!(is == wanted, "the answer is\n  {is}\nnot\n  {wanted}");
    Ok(())
}

/// The records that are left, of every object.
pub fn left(run: &Run, body: &Body) -> anyhow::Result<()> {
    let [first, last] = &run.left;
    for (object, ids) in last {
        let wanted = body.left.get(object).unwrap_or(&first[object]);
        ensure!(ids == wanted, "left of {object:?} is {}, not {}", cut(&ids.to_string()), cut(&wanted.to_string()));
    }
    match body.left.keys().find(|object| !last.contains_key(*object)) {
        Some(object) => bail!("there is no object {object:?}"),
        None => Ok(()),
    }
}

/// Objects by their members, lists and all else whole; a wanted null means that the member is not there.
fn says(is: &Json, wanted: &Json, path: &str) -> anyhow::Result<()> {
    match (is, wanted) {
        (_, Json::Null) if path.is_empty() => Ok(()),
        (Json::Object(is), Json::Object(wanted)) => wanted.iter().try_for_each(|(name, wanted)| {
            says(is.get(name).unwrap_or(&Json::Null), wanted, &format!("{path}/{name}"))
        }),
        _ => {
            ensure!(is == wanted, "{path} is {}, not {}", cut(&is.to_string()), cut(&wanted.to_string()));
            Ok(())
        }
    }
}

/// The text with every digest masked, since revisions are an engine's own.
pub fn mask(text: &str) -> String {
    let mut parts = text.split("sha256:");
    let mut masked = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        masked.push_str("sha256:");
        let digits = part.bytes().take_while(u8::is_ascii_hexdigit).count();
        match digits {
            64 => {
                masked.push('…');
                masked.push_str(&part[64..]);
            }
            _ => masked.push_str(part),
        }
    }
    masked
}

fn lines(trace: &[String]) -> String {
    trace.join("\n  ")
}

fn cut(text: &str) -> String {
    match text.char_indices().nth(2000) {
        Some((end, _)) => format!("{}… ({} bytes)", &text[..end], text.len()),
        None => text.to_owned(),
    }
}
