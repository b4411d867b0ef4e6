//! What holds for connections to PostgreSQL.

use std::path::{Path, PathBuf};
use std::time::Duration;

use super::ConfigError;
use super::section::{Entry, Section};
use crate::bridge::defaults::{FUNCTION_TIME, LOCK_TIME};

/// The setting that names the caller, where none is configured.
pub const DEFAULT_ACTOR_SETTING: &str = "app.actor";

/// The schema whose tables are objects by their names alone, where none is configured.
pub const DEFAULT_SCHEMA: &str = "public";

/// Connections at most, where nothing else is configured. Each is a process of the server.
pub const DEFAULT_POOL_SIZE: u32 = 8;

/// More connections than this would be taken for a mistake: a server has a hundred by default.
pub(super) const MAX_POOL_SIZE: u32 = 1000;

/// No time is longer than a day.
pub(super) const MAX_MILLISECONDS: u32 = 86_400_000;

/// The part of a role that stands for the caller's id.
pub(crate) const ACTOR: &str = ":actor";

/// The table `[postgres]`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PostgresConfig {
    /// The role that a user's transactions run as; `:actor` in it stands for the user's id.
    pub role: Option<String>,
    /// The role that the system's transactions run as; by default that of the connection.
    pub system_role: Option<String>,
    /// The setting that names the user to the database's own rules.
    pub actor_setting: String,
    /// A setting that names the user as JSON, such as `request.jwt.claims`.
    pub claims_setting: Option<String>,
    /// The schema whose tables are objects by their names alone; all others are `schema.table`.
    pub schema: String,
    /// Connections at most.
    pub pool_size: u32,
    /// How long a statement waits for a lock.
    pub lock_timeout: Duration,
    /// How long a statement may take, where the call's own time is not shorter.
    pub statement_timeout: Duration,
    /// Certificates of the authorities that the server's is signed by; by default those of the machine.
    pub tls_root: Option<PathBuf>,
}

impl Default for PostgresConfig {
    fn default() -> PostgresConfig {
        PostgresConfig {
            role: None,
            system_role: None,
            actor_setting: DEFAULT_ACTOR_SETTING.to_owned(),
            claims_setting: None,
            schema: DEFAULT_SCHEMA.to_owned(),
            pool_size: DEFAULT_POOL_SIZE,
            lock_timeout: LOCK_TIME,
            statement_timeout: FUNCTION_TIME,
            tls_root: None,
        }
    }
}

/// Reads the table; a relative path starts from `base`.
pub(super) fn read(mut section: Section, base: &Path) -> Result<PostgresConfig, ConfigError> {
    let mut config = PostgresConfig::default();
    let text = |section: &mut Section, key| section.get(key).map(|entry| entry.text().map(str::to_owned)).transpose();
    config.role = text(&mut section, "role")?;
    config.system_role = text(&mut section, "system-role")?;
    for (key, setting) in [("actor-setting", true), ("claims-setting", false)] {
        if let Some(entry) = section.get(key) {
            let name = self::setting(&entry)?.to_owned();
            match setting {
                true => config.actor_setting = name,
                false => config.claims_setting = Some(name),
            }
        }
    }
    if let Some(schema) = text(&mut section, "schema")? {
        config.schema = schema;
    }
    if let Some(entry) = section.get("pool-size") {
        config.pool_size = entry.integer(1..MAX_POOL_SIZE + 1)?;
    }
    for (key, lock) in [("lock-timeout-ms", true), ("statement-timeout-ms", false)] {
        if let Some(entry) = section.get(key) {
            let time = Duration::from_millis(entry.integer(1..MAX_MILLISECONDS + 1)?.into());
            match lock {
                true => config.lock_timeout = time,
                false => config.statement_timeout = time,
            }
        }
    }
    config.tls_root = text(&mut section, "tls-root")?.map(|path| base.join(path));
    section.finish()?;
    Ok(config)
}

/// The name of a setting.
pub(super) fn setting<'a>(entry: &Entry<'a>) -> Result<&'a str, ConfigError> {
    let name = entry.text()?;
    // The database has settings of its own without a dot, and this must not be one of them.
    if !name.split('.').all(is_name) || !name.contains('.') {
        return Err(entry.wrong("must be a setting's name with a dot in it, for example `app.actor`"));
    }
    Ok(name)
}

fn is_name(part: &str) -> bool {
    part.starts_with(|first: char| first.is_ascii_alphabetic() || first == '_')
        && part.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
}
