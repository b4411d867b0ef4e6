//! What the file may say, as data. The check of a file, the JSON Schema for editors, `deletegate configure` and the
//! reference in `docs/` are all made from this one description; the reader (`read`) refuses to go on where it was not
//! asked for a key that stands here, so neither can drift from the other.

use super::MAX_CAP;
use super::mcp::MOST;
use super::postgres::{MAX_MILLISECONDS, MAX_POOL_SIZE};
use super::read::{CONSENTS, FIELD_TYPES};

/// A key of a table.
pub struct Key {
    /// As it stands in the file.
    pub name: &'static str,
    /// What it takes.
    pub takes: Takes,
    /// Whether its table needs it.
    pub required: bool,
    /// What it means, in a sentence or two.
    pub about: &'static str,
    /// What holds where it is not there; empty where nothing does.
    pub default: &'static str,
}

/// What a key takes.
pub enum Takes {
    /// A text that says something.
    Text,
    /// `true` or `false`.
    Boolean,
    /// A whole number, both ends included.
    Integer(u32, u32),
    /// One of a few words.
    Word(fn() -> Vec<&'static str>),
    /// A list of texts.
    Texts,
    /// A list of patterns, `*` at an end.
    Patterns,
    /// The address of an engine.
    Engine,
    /// A setting of PostgreSQL's that is not one of its own.
    Setting,
    /// The address of a store of answered questions.
    Store,
    /// A table of these keys.
    Table(&'static [Key]),
    /// A table whose keys are names of the owner's, each of which takes the same. The word stands for such a name.
    Named(&'static str, &'static Takes),
}

const fn key(name: &'static str, takes: Takes, about: &'static str, default: &'static str) -> Key {
    Key { name, takes, required: false, about, default }
}

const fn needed(name: &'static str, takes: Takes, about: &'static str) -> Key {
    Key { name, takes, required: true, about, default: "" }
}

/// The whole file.
pub const FILE: &[Key] = &[
    key("engine", Takes::Engine, "Where the records are. A relative path starts from this file's folder.", ""),
    key(
        "system-objects",
        Takes::Patterns,
        "Objects that no tool touches, and whose records no tool counts; `*` may stand at an end. A name matches whole or after its last dot, in any case.",
        "[\"sys_*\", \"sqlite_*\", \"pg_*\", \"information_schema.*\"]",
    ),
    key("allow", Takes::Texts, "The objects that tools are offered, by the database's own names; no other is.", "all"),
    key("target", Takes::Table(TARGET), "How a person would name the place where the records are.", ""),
    key("postgres", Takes::Table(POSTGRES), "What holds for connections to PostgreSQL.", ""),
    key("mcp", Takes::Table(MCP), "What `deletegate serve` takes on, and what its replicas share.", ""),
    key("auth", Takes::Table(AUTH), "Who is calling over HTTP; without it nobody is.", ""),
    key("identity", Takes::Table(IDENTITY), "Who is calling where a call has no actor.", ""),
    key(
        "tools",
        Takes::Table(TOOLS),
        "Which tools are on. One that is off is not listed, and a call of it is unknown.",
        "",
    ),
    key(
        "objects",
        Takes::Named("OBJECT", &Takes::Table(OBJECT)),
        "What holds for single objects, by the database's own names.",
        "",
    ),
    key(
        "logs",
        Takes::Named("LOG", &Takes::Table(LOG)),
        "Event logs that `delete_events` may prune, by the names that calls use.",
        "",
    ),
];

const TARGET: &[Key] = &[
    key("name", Takes::Text, "What a person is asked about.", "the database's name"),
    key("environment", Takes::Text, "The kind of place, for example `dev` or `production`.", "local"),
    key(
        "production",
        Takes::Boolean,
        "Whether a mistake here is a real one. It can be added to what the database says, never taken away.",
        "whether the environment is called `production` or `prod`",
    ),
];

const IDENTITY: &[Key] =
    &[key("is_system", Takes::Boolean, "A call without an actor is the system, which sees every record.", "false")];

const POSTGRES: &[Key] = &[
    key(
        "role",
        Takes::Text,
        "The role that a user's transactions run as; `:actor` in it stands for the user's id.",
        "that of the connection",
    ),
    key("system-role", Takes::Text, "The role that the system's transactions run as.", "that of the connection"),
    key("actor-setting", Takes::Setting, "The setting that names the user to the database's own rules.", "app.actor"),
    key("claims-setting", Takes::Setting, "A setting that names the user as JSON, such as `request.jwt.claims`.", ""),
    key(
        "schema",
        Takes::Text,
        "The schema whose tables are objects by their names alone; others are `schema.table`.",
        "public",
    ),
    key("pool-size", Takes::Integer(1, MAX_POOL_SIZE), "Connections at most. Each is a process of the server.", "8"),
    key(
        "lock-timeout-ms",
        Takes::Integer(1, MAX_MILLISECONDS),
        "How long a statement waits for a lock, in milliseconds.",
        "2000",
    ),
    key(
        "statement-timeout-ms",
        Takes::Integer(1, MAX_MILLISECONDS),
        "How long a statement may take, in milliseconds, where the call's own time is not shorter.",
        "30000",
    ),
    key(
        "tls-root",
        Takes::Text,
        "A file of the authorities that the server's certificate is signed by.",
        "those of the machine",
    ),
];

const MCP: &[Key] = &[
    key(
        "sealing-key",
        Takes::Text,
        "A file with the key that questions are sealed with, at least 32 bytes; replicas share it.",
        "`$DELETEGATE_SEALING_KEY`, else a fresh key at each start",
    ),
    key(
        "spent-questions",
        Takes::Store,
        "Where questions that have been answered are kept; replicas share it.",
        "memory",
    ),
    key(
        "allowed-hosts",
        Takes::Texts,
        "Names, or `name:port`, that a request's `Host` may say besides loopback's.",
        "[]",
    ),
    key("allowed-origins", Takes::Texts, "Origins whose pages may call, as `https://app.example.com:443`.", "[]"),
    key("calls", Takes::Integer(1, MOST), "Calls that run at once.", "32"),
    key("calls-per-caller", Takes::Integer(1, MOST), "Calls of one caller that run at once.", "8"),
    key("questions-per-caller", Takes::Integer(1, MOST), "Questions of one caller that are open at once.", "4"),
];

const AUTH: &[Key] = &[
    needed("issuer", Takes::Text, "What tokens must say in `iss`."),
    needed("audience", Takes::Text, "What tokens must say in `aud`: the server's address, as its clients see it."),
    key(
        "jwks",
        Takes::Text,
        "A file of public keys (JWKS); read again when it changes. This or `secret` is needed.",
        "",
    ),
    key("secret", Takes::Text, "A file with a shared secret of at least 32 bytes.", ""),
    key("actor-claim", Takes::Text, "The claim that holds the user's id, as the rules of the database know it.", "sub"),
];

const TOOLS: &[Key] = &[
    key("delete_records", Takes::Boolean, "Many records, by filter or by ids.", "true"),
    key("delete_record", Takes::Boolean, "One record, by its key.", "true"),
    key("delete_events", Takes::Boolean, "Old events of a log.", "true where a log is configured"),
    key("list_objects", Takes::Boolean, "What may be deleted from; reads no records.", "true"),
];

const OBJECT: &[Key] = &[
    key("alias", Takes::Text, "The name that tools show and take, in place of the table's.", "the table's name"),
    key(
        "aliases",
        Takes::Named("COLUMN", &Takes::Text),
        "The names that tools show and take, in place of the columns'.",
        "the columns' names",
    ),
    key("exclude", Takes::Boolean, "No tool is offered this object.", "false"),
    key(
        "label",
        Takes::Text,
        "The column that names a record to people.",
        "a column called `name`, `title` or the like",
    ),
    key("cap", Takes::Integer(1, MAX_CAP), "Most records of one call.", "200"),
    key(
        "consent",
        Takes::Word(|| CONSENTS.iter().map(|(word, _)| *word).collect()),
        "What a deletion takes: the call, `confirm: true`, a person's yes, or what a person types.",
        "attest; in production typed",
    ),
    key("scope", Takes::Texts, "Columns that a filter must pin to one value each.", "[]"),
    key("unfiltered", Takes::Boolean, "Whether `where: {}` may mean every record.", "true; in production false"),
    key("visible", Takes::Text, "SQL over the row and `:actor`, the caller's id: which records a user can see.", "all"),
    key("removable", Takes::Text, "SQL over the row and `:actor`: which of them a user may remove.", "all"),
    key(
        "soft-delete",
        Takes::Text,
        "The column that a removal sets to the time; the record is gone then for every caller.",
        "",
    ),
    key("revision", Takes::Text, "The column that changes whenever a record does.", "a hash of the stored record"),
    key(
        "fields",
        Takes::Named("COLUMN", &Takes::Word(|| FIELD_TYPES.iter().map(|(word, _)| *word).collect())),
        "What a column holds, where its declared type does not say.",
        "by the declared types",
    ),
];

const LOG: &[Key] = &[
    needed("object", Takes::Text, "The log's table."),
    needed("scope", Takes::Text, "The column that `collection` pins: a stream, a tenant, a repository."),
    needed("time", Takes::Text, "The column with the instant of an event."),
    key("kind", Takes::Text, "The column with the kind of an event.", ""),
    key("subject", Takes::Text, "The column with what an event is about.", ""),
    key("tags", Takes::Text, "The column with a list of tags.", ""),
];
