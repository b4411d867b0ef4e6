//! One case, as its file says it. `README.md` describes the members.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use anyhow::{Context, bail};
use deletegate::bridge::memory::Change;
use deletegate::bridge::{Actor, Identity};
use deletegate::tools::{Action, Scopes};
use serde::Deserialize;
use serde_json::Value as Json;

use crate::arguments::Text;
use crate::script::Event;

/// A case and where it stands.
#[derive(Clone, Debug)]
pub struct Case {
    /// `<section>::<name>`, by its folder and file.
    pub name: String,
    /// Its file.
    pub path: PathBuf,
    /// What the file says.
    pub body: Body,
}

/// What a case's file says.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Body {
    /// What is shown, in a sentence with the section of the contract.
    pub about: String,
    /// The fixture's name.
    pub fixture: String,
    /// What differs from the fixture's tables, put over them member by member.
    #[serde(default)]
    pub tables: Json,
    /// What differs from the fixture's settings, put over them member by member.
    #[serde(default)]
    pub settings: Json,
    /// Who calls.
    #[serde(default)]
    pub caller: Caller,
    /// The calls, in order.
    pub calls: Vec<Call>,
    /// The ids that are left in the end, for each object whose records are not those of the fixture.
    #[serde(default)]
    pub left: BTreeMap<String, Json>,
}

/// Who calls, as a host knows them.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Caller {
    /// A user's id.
    pub actor: Option<String>,
    /// The host itself.
    #[serde(default)]
    pub system: bool,
}

impl Caller {
    /// An actor is a user, `system` alone is the system, and anything else is nobody known.
    pub fn identity(&self) -> Identity {
        match (&self.actor, self.system) {
            (Some(id), _) => Identity::User(Actor { id: id.clone(), name: None }),
            (None, true) => Identity::System,
            (None, false) => Identity::Anonymous,
        }
    }
}

/// One call of a tool.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Call {
    /// What somebody else does before it, past every rule.
    #[serde(default)]
    pub changes: Vec<Change>,
    /// The tool.
    #[serde(default = "delete_records")]
    pub tool: String,
    /// The arguments, where JSON data can say them.
    pub arguments: Option<Json>,
    /// The arguments' own bytes, where it can't.
    pub text: Option<Text>,
    /// What the caller's credentials allow; both scopes where it is not there.
    pub scopes: Option<Vec<String>>,
    /// The answer to the last question.
    pub approval: Option<Answered>,
    /// What the bridge does otherwise than the engine would.
    #[serde(default)]
    pub bridge: Vec<Event>,
    /// What must come of it.
    pub expect: Expect,
    /// The calls of the bridge, in order.
    pub trace: Option<Vec<String>>,
}

fn delete_records() -> String {
    "delete_records".into()
}

impl Call {
    /// The scopes as the guest takes them.
    pub fn scopes(&self) -> anyhow::Result<Scopes> {
        let Some(names) = &self.scopes else { return Ok(Scopes::DATA_READ | Scopes::DATA_WRITE) };
        names.iter().try_fold(Scopes::empty(), |scopes, name| match name.as_str() {
            "data:read" => Ok(scopes | Scopes::DATA_READ),
            "data:write" => Ok(scopes | Scopes::DATA_WRITE),
            _ => bail!("no scope is called {name:?}"),
        })
    }
}

/// What a person answered to the last question.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Answered {
    /// `accept`, `decline`, `cancel`, `unavailable` or `failed`.
    pub action: String,
    /// What they typed.
    pub typed: Option<String>,
}

impl Answered {
    /// The action as the guest takes it.
    pub fn action(&self) -> anyhow::Result<Action> {
        Ok(match self.action.as_str() {
            "accept" => Action::Accept,
            "decline" => Action::Decline,
            "cancel" => Action::Cancel,
            "unavailable" => Action::Unavailable,
            "failed" => Action::Failed,
            other => bail!("no action is called {other:?}"),
        })
    }
}

/// What a call must come to. All but `answer` and `question` is written by hand; those two are
/// written by `BLESS=1`.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Expect {
    /// `answered`, `asks` or `unknown-tool`.
    pub outcome: String,
    /// MCP's `isError`, of an answer.
    pub failed: Option<bool>,
    /// The code of a failed answer.
    pub code: Option<String>,
    /// The status of a failed answer.
    pub status: Option<u16>,
    /// Members that the answer or the question must have: objects by their members, all else whole.
    #[serde(default)]
    pub says: Json,
    /// Texts that must stand in the answer or the question as JSON, wherever.
    #[serde(default)]
    pub mentions: Vec<String>,
    /// Texts that must not stand in the answer or the question, whatever it says.
    #[serde(default)]
    pub never: Vec<String>,
    /// The whole answer, with digests masked.
    pub answer: Option<Json>,
    /// The whole question, without its digest.
    pub question: Option<Json>,
}

impl Case {
    /// Reads the file of a case.
    pub fn read(path: &Path) -> anyhow::Result<Case> {
        let text = std::fs::read_to_string(path)?;
        let body = serde_json::from_str(&text).with_context(|| format!("{} is no case", path.display()))?;
        let section = path.parent().and_then(Path::file_name).unwrap_or_default().to_string_lossy();
        let name = path.file_stem().unwrap_or_default().to_string_lossy();
        Ok(Case { name: format!("{section}::{name}"), path: path.to_owned(), body })
    }

    /// Every case, in the order of the names.
    pub fn all() -> anyhow::Result<Vec<Case>> {
        let mut paths = Vec::new();
        for section in std::fs::read_dir(crate::root().join("cases"))? {
            for file in std::fs::read_dir(section?.path())? {
                paths.push(file?.path());
            }
        }
        paths.sort();
        paths.iter().map(|path| Case::read(path)).collect()
    }
}
