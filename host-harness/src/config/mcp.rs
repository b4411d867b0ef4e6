//! What the file says about a server: `[mcp]` and `[auth]`.

use std::path::{Path, PathBuf};

use super::section::{Entry, Section};
use super::{Address, ConfigError};
use crate::approval::spent::StoreAddress;
use crate::identity::TokenRules;
use crate::identity::token::KeySource;
use crate::mcp::ServerLimits;
use crate::mcp::http::Reach;

/// More would be no limit: each call holds a thread and an instance.
pub(super) const MOST: u32 = 1000;

/// What a server takes on, and what its replicas share.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct McpConfig {
    /// The file of the sealing key; without it, and without the environment's, a fresh one.
    pub sealing_key: Option<PathBuf>,
    /// Where questions that have been answered are kept.
    pub spent_questions: StoreAddress,
    /// Who may reach it by which names.
    pub reach: Reach,
    /// How much is under way at once.
    pub limits: ServerLimits,
}

pub(super) fn server(mut section: Section, base: &Path) -> Result<McpConfig, ConfigError> {
    let mut config = McpConfig::default();
    let path = |entry: Entry| Ok(base.join(entry.text()?));
    config.sealing_key = section.get("sealing-key").map(path).transpose()?;
    if let Some(entry) = section.get("spent-questions") {
        config.spent_questions = store(&entry, base)?;
    }
    for (key, list) in [("allowed-hosts", &mut config.reach.hosts), ("allowed-origins", &mut config.reach.origins)] {
        if let Some(entry) = section.get(key) {
            *list = entry.texts()?;
        }
    }
    let limits = &mut config.limits;
    for (key, limit) in [
        ("calls", &mut limits.calls),
        ("calls-per-caller", &mut limits.calls_of_one),
        ("questions-per-caller", &mut limits.questions_of_one),
    ] {
        if let Some(entry) = section.get(key) {
            *limit = entry.integer(1..MOST + 1)? as usize;
        }
    }
    section.finish()?;
    Ok(config)
}

pub(super) fn store(entry: &Entry, base: &Path) -> Result<StoreAddress, ConfigError> {
    match entry.text()?.split_once(':') {
        None if entry.text()? == "memory" => Ok(StoreAddress::Memory),
        Some(("sqlite", path)) if !path.is_empty() => Ok(StoreAddress::Sqlite(base.join(path))),
        Some(("postgres" | "postgresql", _)) => match Address::parse(entry.text()?) {
            Ok(address) => Ok(StoreAddress::Postgres(address, None)),
            Err(sentence) => Err(entry.wrong(&format!("is wrong: {sentence}"))),
        },
        _ => {
            Err(entry.wrong("names no store; allowed are `memory`, `sqlite:PATH` and `postgres://USER@HOST/DATABASE`"))
        }
    }
}

pub(super) fn tokens(entry: &Entry, base: &Path) -> Result<TokenRules, ConfigError> {
    let mut section = entry.section()?.titled("[auth]".to_owned());
    let mut text = |key| section.get(key).map(|entry| entry.text().map(str::to_owned)).transpose();
    let (issuer, audience, actor_claim) = (text("issuer")?, text("audience")?, text("actor-claim")?);
    let (jwks, secret) = (text("jwks")?, text("secret")?);
    section.finish()?;
    let keys = match (jwks, secret) {
        (Some(path), None) => KeySource::Jwks(base.join(path)),
        (None, Some(path)) => KeySource::Secret(base.join(path)),
        _ => {
            return Err(
                entry.wrong("needs one of `jwks`, a file of public keys, and `secret`, a file with a shared one")
            );
        }
    };
    let (Some(issuer), Some(audience)) = (issuer, audience) else {
        return Err(entry.wrong("needs `issuer` and `audience`: what tokens must say in `iss` and `aud`"));
    };
    Ok(TokenRules { issuer, audience, actor_claim: actor_claim.unwrap_or_else(|| "sub".to_owned()), keys })
}
