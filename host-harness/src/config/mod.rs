//! What the owner of the database decided: one TOML file, every part of it optional.
//!
//! ```toml
//! engine = "sqlite:crm.db"            # relative to this file; or postgres://app@localhost/crm
//! system-objects = ["sys_*"]          # no tool touches these
//!
//! [target]
//! name = "Navigator testing"          # what a person is asked about
//! environment = "dev"
//! production = false                  # can be added to what the engine says, never taken away
//!
//! [identity]
//! is_system = false                   # calls without an actor are the system
//!
//! [postgres]
//! role = "crm_user"                   # a user's transactions run as it; `:actor` in it is the user's id
//! actor-setting = "app.actor"         # how the database's own rules know the user
//! claims-setting = "request.jwt.claims"
//! schema = "public"                   # its tables are objects by their names; all others are `schema.table`
//! pool-size = 8
//! lock-timeout-ms = 2000
//! statement-timeout-ms = 30000
//! tls-root = "ca.pem"                 # who signs the server's certificate, where the machine does not know them
//!
//! [mcp]                               # `deletegate serve`
//! sealing-key = "sealing.key"         # a file; replicas share it
//! spent-questions = "sqlite:spent.db" # replicas share it too; by default in memory
//! allowed-hosts = ["db.example.com"]  # besides loopback
//! allowed-origins = []                # of web pages that may call
//! calls = 32                          # that run at once
//! calls-per-caller = 8
//! questions-per-caller = 4            # that are open at once
//!
//! [auth]                              # who is calling over HTTP
//! issuer = "https://id.example.com"
//! audience = "https://db.example.com/mcp"
//! jwks = "jwks.json"                  # or: secret = "token.secret"
//! actor-claim = "sub"
//!
//! [objects.crm_task]
//! label = "title"                     # the column that names a record to people
//! cap = 200                           # most records of one call, 1 to 1000
//! consent = "attest"                  # none, attest, accept, typed
//! scope = ["project_id"]              # fields that a filter must pin
//! unfiltered = false                  # whether `where: {}` may mean every record
//! visible = "owner = :actor"          # SQL over the row and the caller's id
//! removable = "status <> 'locked'"
//! revision = "version"                # the column that changes with each change
//! fields = { done = "boolean" }       # what a column holds, where its declared type does not say
//! soft-delete = "deleted_at"          # a removal sets this column, and the record is gone for every caller
//! alias = "task"                      # what tools call it
//!
//! [logs.audit]                        # what `delete_events` may prune
//! object = "crm_event"
//! scope = "stream"
//! time = "at"
//! ```
//!
//! The file speaks the database's own names throughout; tools show and take the aliases. *description* is the whole
//! list of keys. Nothing here can hide a mistake: an unknown key, a wrong type or a value out of range is refused with its
//! line and with what is allowed.

mod address;
mod check;
pub mod description;
mod edit;
mod engine;
mod mcp;
mod meaning;
mod names;
mod postgres;
mod read;
mod reference;
mod schema;
mod section;
mod settings;
mod verify;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

pub use address::Address;
pub use check::{Finding, Weight, findings};
pub use edit::{EditError, set, unset};
pub use engine::Engine;
pub use mcp::McpConfig;
pub use names::Names;
pub(crate) use postgres::ACTOR as ROLE_ACTOR;
pub use postgres::{DEFAULT_ACTOR_SETTING, DEFAULT_POOL_SIZE, DEFAULT_SCHEMA, PostgresConfig};
pub use reference::reference;
pub use schema::schema;
pub(crate) use section::nearest;
pub use verify::verify;

use crate::bridge::FieldType;
use crate::identity::TokenRules;
use crate::tools::Consent;

/// Records that one call removes at most, where nothing else is configured (contract, section 4).
pub const DEFAULT_CAP: u32 = 200;

/// No call removes more than this: a call is bounded, and so is what a mistake costs.
pub const MAX_CAP: u32 = 1000;

/// Objects that no tool touches, where nothing else is configured (contract, section 3).
pub const DEFAULT_SYSTEM_OBJECTS: [&str; 4] = ["sys_*", "sqlite_*", "pg_*", "information_schema.*"];

/// The environment's name where none is configured.
pub const DEFAULT_ENVIRONMENT: &str = "local";

/// The configuration. [`Config::default`] is what holds without a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Config {
    /// Where the records are; the command line can say it instead.
    pub engine: Option<Engine>,
    /// How a person would name the place.
    pub target: Target,
    /// Whether a call without an actor is the system (contract, section 3).
    pub is_system: bool,
    /// What holds for connections to PostgreSQL.
    pub postgres: PostgresConfig,
    /// What holds for single objects, by the engine's own names.
    pub objects: BTreeMap<String, ObjectConfig>,
    /// Patterns, `*` at an end, of objects that no tool touches.
    pub system_objects: Vec<String>,
    /// What a server takes on, and what its replicas share.
    pub mcp: McpConfig,
    /// How callers over HTTP are known; without it nobody is.
    pub tokens: Option<TokenRules>,
    /// The objects that tools are offered, where not all are.
    pub allow: Option<Vec<String>>,
    /// Which tools are on.
    pub tools: Tools,
    /// Event logs, by the names that calls use.
    pub logs: BTreeMap<String, LogConfig>,
}

/// Which tools are on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Tools {
    /// Many records of one object.
    pub delete_records: bool,
    /// One record.
    pub delete_record: bool,
    /// Old events; without a log this tool is not there.
    pub delete_events: bool,
    /// What may be deleted from.
    pub list_objects: bool,
}

impl Default for Tools {
    fn default() -> Tools {
        Tools { delete_records: true, delete_record: true, delete_events: true, list_objects: true }
    }
}

/// An event log; each member but `object` names a column of it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LogConfig {
    /// The log's table.
    pub object: String,
    /// What `collection` pins.
    pub scope: String,
    /// The instant of an event.
    pub time: String,
    /// The kind of an event.
    pub kind: Option<String>,
    /// What an event is about.
    pub subject: Option<String>,
    /// A list of tags.
    pub tags: Option<String>,
}

/// How a person would name the place where the records are.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Target {
    /// By default the file name of the database.
    pub name: Option<String>,
    /// By default [`DEFAULT_ENVIRONMENT`].
    pub environment: Option<String>,
    /// Whether a mistake is a real one. The engine may say so too; either suffices.
    pub production: bool,
}

/// What holds for one object; what is absent takes its default.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ObjectConfig {
    /// The name that tools show and take.
    pub alias: Option<String>,
    /// The names that tools show and take for columns.
    pub aliases: BTreeMap<String, String>,
    /// No tool is offered this object.
    pub exclude: bool,
    /// The column that names a record to people.
    pub label: Option<String>,
    /// Most records of one call, 1 to [`MAX_CAP`].
    pub cap: Option<u32>,
    /// What a deletion takes.
    pub consent: Option<Consent>,
    /// Fields that a filter must pin to a value.
    pub scope: Vec<String>,
    /// Whether `where: {}` may select every record.
    pub unfiltered: Option<bool>,
    /// An SQL expression over the row's columns and `:actor`: which records a user can see. The system sees all.
    pub visible: Option<String>,
    /// The same for which of them a user may remove.
    pub removable: Option<String>,
    /// The column that changes whenever a record does; by default the bridge hashes the stored record.
    pub revision: Option<String>,
    /// What a column holds, where its declared type does not say.
    pub fields: BTreeMap<String, FieldType>,
    /// The column that a removal sets in place of deleting the record; a record that has it set is gone.
    pub soft_delete: Option<String>,
}

/// Environments that say production by their name: nobody means them otherwise.
const PRODUCTION_NAMES: [&str; 2] = ["production", "prod"];

impl Target {
    /// Whether an environment of this name is production.
    fn is_production(environment: &str) -> bool {
        PRODUCTION_NAMES.iter().any(|name| environment.eq_ignore_ascii_case(name))
    }

    /// Adds what the engine says of its environment. Production is what either says; a name of the owner's stays.
    pub(crate) fn add(&mut self, environment: &str) {
        let production = Target::is_production(environment);
        self.production |= production;
        if production && !self.environment.as_deref().is_some_and(Target::is_production) {
            // A person is asked about production, whatever else it was called.
            self.environment = Some(environment.to_owned());
        }
        self.environment.get_or_insert_with(|| environment.to_owned());
    }
}

impl Default for Config {
    fn default() -> Config {
        Config {
            engine: None,
            target: Target::default(),
            is_system: false,
            postgres: PostgresConfig::default(),
            objects: BTreeMap::new(),
            system_objects: DEFAULT_SYSTEM_OBJECTS.map(str::to_owned).to_vec(),
            mcp: McpConfig::default(),
            tokens: None,
            allow: None,
            tools: Tools::default(),
            logs: BTreeMap::new(),
        }
    }
}

impl Config {
    /// Reads a file. Relative paths in it are relative to its folder.
    ///
    /// # Errors
    /// The file can't be read, or says something that is not allowed.
    pub fn load(path: &Path) -> Result<Config, ConfigError> {
        let text = std::fs::read_to_string(path)
            .map_err(|source| ConfigError::Unreadable { path: path.to_owned(), source })?;
        let base = path.parent().unwrap_or(Path::new(""));
        Config::parse(&text, base).map_err(|error| match error {
            ConfigError::Wrong { line, message, .. } => {
                ConfigError::Wrong { path: Some(path.to_owned()), line, message }
            }
            other => other,
        })
    }

    /// Reads the text of a file; `base` is the folder that relative paths in it start from.
    ///
    /// # Errors
    /// The text is no TOML, or says something that is not allowed.
    pub fn parse(text: &str, base: &Path) -> Result<Config, ConfigError> {
        read::config(text, base)
    }

    /// Whether no tool touches the object: its name, whole or after its last dot, matches a pattern in any case.
    pub fn is_system_object(&self, object: &str) -> bool {
        is_system_object(&self.system_objects, object)
    }
}

/// Why a configuration can't be used.
#[derive(Debug, thiserror::Error)]
pub enum ConfigError {
    /// The file itself can't be read.
    #[error("the configuration {} can't be read: {source}", path.display())]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// Why.
        source: std::io::Error,
    },
    /// Something in it is not allowed.
    #[error("{}line {line}: {message}", path.as_ref().map(|path| format!("{}, ", path.display())).unwrap_or_default())]
    Wrong {
        /// The file, where there is one.
        path: Option<PathBuf>,
        /// The line, from 1.
        line: usize,
        /// What is wrong, what is allowed, and a near match where there is one.
        message: String,
    },
}

/// The word for a type in the file, and wherever people read one.
pub fn type_name(type_: FieldType) -> &'static str {
    read::FIELD_TYPES.iter().find(|(_, known)| *known == type_).map_or("opaque", |(word, _)| word)
}

/// Whether a name, whole or after its last dot, matches one of the patterns in any case. The guard judges by this
/// too; the guest has its own.
pub(crate) fn is_system_object(patterns: &[String], object: &str) -> bool {
    let last = object.rsplit('.').next().unwrap_or(object);
    patterns.iter().any(|pattern| matches(pattern, object) || matches(pattern, last))
}

/// `*` at an end stands for anything; case does not count.
fn matches(pattern: &str, name: &str) -> bool {
    let (pattern, name) = (pattern.to_lowercase(), name.to_lowercase());
    match (pattern.strip_prefix('*'), pattern.strip_suffix('*')) {
        (_, Some("")) => true,
        (Some(inner), Some(_)) => name.contains(inner.trim_end_matches('*')),
        (Some(end), None) => name.ends_with(end),
        (None, Some(start)) => name.starts_with(start),
        (None, None) => name == pattern,
    }
}
