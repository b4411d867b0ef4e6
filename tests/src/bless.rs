//! `BLESS=1`: writes the whole answers into the cases, for review.
//!
//! Only `expect.answer` and `expect.question` are written. Where what people have written down (outcome, code,
//! status, what the answer says, the bridge's calls, what is left) does not hold, the file stays as it is.

use anyhow::Context;
use serde_json::{Map, Value as Json};

use crate::case::Case;
use crate::host::Host;
use crate::{pretty, run};

/// Whether the answers are to be rewritten.
pub fn wanted() -> bool {
    std::env::var_os("BLESS").is_some_and(|value| value == "1")
}

/// Writes the answers of one case as the native policy over memory gives them.
pub fn write(case: &Case) -> anyhow::Result<()> {
    let made = run::make(&case.body, &Host::native())?;
    for (at, (seen, call)) in made.seen.iter().zip(&case.body.calls).enumerate() {
        run::decided(seen, call).with_context(|| format!("{}\ncall {}", case.body.about, at + 1))?;
    }
    run::left(&made, &case.body)?;
    let mut file: Json = serde_json::from_str(&std::fs::read_to_string(&case.path)?)?;
    for (at, seen) in made.seen.iter().enumerate() {
        let expect = file
            .pointer_mut(&format!("/calls/{at}/expect"))
            .and_then(Json::as_object_mut)
            .context("a call without expect")?;
        put(expect, seen)?;
    }
    let text = pretty::file(&file);
    if text != std::fs::read_to_string(&case.path)? {
        std::fs::write(&case.path, text)?;
    }
    Ok(())
}

fn put(expect: &mut Map<String, Json>, seen: &run::Seen) -> anyhow::Result<()> {
    let wanted = match seen.outcome {
        "answered" => Some("answer"),
        "asks" => Some("question"),
        _ => None,
    };
    for other in ["answer", "question"].into_iter().filter(|name| Some(*name) != wanted) {
        // Not `remove`, which would put the last member in its place.
        expect.shift_remove(other);
    }
    if let Some(name) = wanted {
        expect.insert(name.into(), serde_json::from_str(&run::mask(&seen.text))?);
    }
    Ok(())
}
