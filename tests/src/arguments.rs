//! Arguments that JSON data can't carry, or that are too long to write out.

use anyhow::{Context, bail};
use serde::Deserialize;
use serde_json::Value as Json;

/// The arguments' own bytes: one text, or parts that are put one behind the other.
#[derive(Clone, Debug, Deserialize)]
#[serde(untagged)]
pub enum Text {
    /// As it is.
    Whole(String),
    /// Put together.
    Parts(Vec<Part>),
}

/// A part of a text.
#[derive(Clone, Debug, Deserialize)]
#[serde(untagged)]
pub enum Part {
    /// As it is.
    Plain(String),
    /// The same again and again. `{n}` stands for the number of the repetition, from 1, and `{0n}` for the same in
    /// four digits.
    Repeated {
        /// What is repeated.
        repeat: String,
        /// How often.
        times: u32,
        /// What stands between two repetitions.
        #[serde(default)]
        between: String,
    },
}

impl Text {
    /// The bytes.
    pub fn expand(&self) -> String {
        match self {
            Text::Whole(text) => text.clone(),
            Text::Parts(parts) => parts.iter().map(Part::expand).collect(),
        }
    }
}

impl Part {
    fn expand(&self) -> String {
        match self {
            Part::Plain(text) => text.clone(),
            Part::Repeated { repeat, times, between } => {
                (1..=*times).map(|n| numbered(repeat, n)).collect::<Vec<_>>().join(between)
            }
        }
    }
}

/// Puts a number in its places.
pub fn numbered(text: &str, n: u32) -> String {
    text.replace("{n}", &n.to_string()).replace("{0n}", &format!("{n:04}"))
}

/// The arguments as compact JSON, with `previewDigest: "$last"` replaced by the digest that was shown last.
pub fn compact(arguments: &Json, digest: Option<&str>) -> anyhow::Result<String> {
    let mut arguments = arguments.clone();
    if let Some(shown) = arguments.get_mut("previewDigest").filter(|value| **value == "$last") {
        *shown = Json::from(digest.context("no answer has shown a digest yet")?);
    }
    if !arguments.is_object() {
        bail!("arguments that are no object are written as text");
    }
    Ok(arguments.to_string())
}
