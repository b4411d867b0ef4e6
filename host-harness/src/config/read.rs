//! From the file's tables to the configuration.

use std::collections::BTreeMap;
use std::path::Path;

use toml::de::DeTable;

use super::mcp;
use super::section::{Entry, Section, wrong};
use super::{Config, ConfigError, Engine, LogConfig, MAX_CAP, ObjectConfig, Target, Tools, check, postgres};
use crate::approval::spent::StoreAddress;
use crate::bridge::FieldType;
use crate::tools::Consent;

pub(super) const CONSENTS: [(&str, Consent); 4] =
    [("none", Consent::None), ("attest", Consent::Attest), ("accept", Consent::Accept), ("typed", Consent::Typed)];

pub(super) const FIELD_TYPES: [(&str, FieldType); 10] = [
    ("boolean", FieldType::Boolean),
    ("integer", FieldType::Integer),
    ("decimal", FieldType::Decimal),
    ("float", FieldType::Float),
    ("text", FieldType::Text),
    ("uuid", FieldType::Uuid),
    ("date", FieldType::Date),
    ("instant", FieldType::Instant),
    ("text-list", FieldType::TextList),
    ("opaque", FieldType::Opaque),
];

pub(super) fn config(text: &str, base: &Path) -> Result<Config, ConfigError> {
    // The first mistake of them all, so that every command says what `deletegate validate` says.
    if let Some(mistake) = check::mistakes(text, base).into_iter().next() {
        return Err(ConfigError::Wrong { path: None, line: mistake.line, message: mistake.message });
    }
    let table = DeTable::parse(text)
        .map_err(|error| wrong(text, error.span().unwrap_or(0..0), format!("no TOML: {}.", error.message())))?;
    let mut root = Section::root(text, table.get_ref());
    let mut config = Config::default();
    if let Some(entry) = root.get("engine") {
        let engine =
            Engine::parse(entry.text()?, base).map_err(|sentence| entry.wrong(&format!("is wrong: {sentence}")))?;
        config.engine = Some(engine);
    }
    if let Some(entry) = root.get("system-objects") {
        config.system_objects = patterns(&entry)?;
    }
    if let Some(entry) = root.get("allow") {
        config.allow = Some(entry.texts()?);
    }
    if let Some(entry) = root.get("target") {
        config.target = target(entry.section()?.titled("[target]".to_owned()))?;
    }
    if let Some(entry) = root.get("identity") {
        let mut identity = entry.section()?.titled("[identity]".to_owned());
        if let Some(entry) = identity.get("is_system") {
            config.is_system = entry.boolean()?;
        }
        identity.finish()?;
    }
    if let Some(entry) = root.get("postgres") {
        config.postgres = postgres::read(entry.section()?.titled("[postgres]".to_owned()), base)?;
    }
    if let Some(entry) = root.get("mcp") {
        config.mcp = mcp::server(entry.section()?.titled("[mcp]".to_owned()), base)?;
    }
    if let Some(entry) = root.get("auth") {
        config.tokens = Some(mcp::tokens(&entry, base)?);
    }
    if let Some(entry) = root.get("tools") {
        config.tools = tools(entry.section()?.titled("[tools]".to_owned()))?;
    }
    if let Some(entry) = root.get("logs") {
        for (name, entry) in entry.section()?.entries() {
            let section = entry.section()?.titled(format!("[logs.{name}]"));
            config.logs.insert(name, log(section)?);
        }
    }
    if let Some(entry) = root.get("objects") {
        for (name, entry) in entry.section()?.entries() {
            let section = entry.section()?.titled(format!("[objects.{name}]"));
            config.objects.insert(name, object(section)?);
        }
    }
    if let StoreAddress::Postgres(_, tls_root) = &mut config.mcp.spent_questions {
        tls_root.clone_from(&config.postgres.tls_root);
    }
    root.finish()?;
    Ok(config)
}

fn tools(mut section: Section) -> Result<Tools, ConfigError> {
    let mut on = |key| section.get(key).map(|entry: Entry| entry.boolean()).transpose();
    let tools = Tools {
        delete_records: on("delete_records")?.unwrap_or(true),
        delete_record: on("delete_record")?.unwrap_or(true),
        delete_events: on("delete_events")?.unwrap_or(true),
        list_objects: on("list_objects")?.unwrap_or(true),
    };
    section.finish()?;
    Ok(tools)
}

fn log(mut section: Section) -> Result<LogConfig, ConfigError> {
    let mut text = |key| -> Result<Option<String>, ConfigError> {
        section.get(key).map(|entry: Entry| entry.text().map(str::to_owned)).transpose()
    };
    // The check has seen that what is needed is there.
    let log = LogConfig {
        object: text("object")?.unwrap_or_default(),
        scope: text("scope")?.unwrap_or_default(),
        time: text("time")?.unwrap_or_default(),
        kind: text("kind")?,
        subject: text("subject")?,
        tags: text("tags")?,
    };
    section.finish()?;
    Ok(log)
}

fn target(mut section: Section) -> Result<Target, ConfigError> {
    let name = section.get("name").map(|entry| entry.text().map(str::to_owned)).transpose()?;
    let environment = section.get("environment").map(|entry| entry.text().map(str::to_owned)).transpose()?;
    let named = environment.as_deref().is_some_and(Target::is_production);
    let production = match section.get("production") {
        None => named,
        Some(entry) => entry.boolean()?,
    };
    section.finish()?;
    Ok(Target { name, environment, production })
}

fn object(mut section: Section) -> Result<ObjectConfig, ConfigError> {
    fn text(entry: Option<Entry>) -> Result<Option<String>, ConfigError> {
        entry.map(|entry| entry.text().map(str::to_owned)).transpose()
    }
    let object = ObjectConfig {
        alias: text(section.get("alias"))?,
        aliases: section.get("aliases").map(|entry| aliases(&entry)).transpose()?.unwrap_or_default(),
        exclude: section.get("exclude").map(|entry| entry.boolean()).transpose()?.unwrap_or(false),
        label: text(section.get("label"))?,
        cap: section.get("cap").map(|entry| entry.integer(1..MAX_CAP + 1)).transpose()?,
        consent: section.get("consent").map(|entry| entry.word(&CONSENTS)).transpose()?,
        scope: section.get("scope").map(|entry| entry.texts()).transpose()?.unwrap_or_default(),
        unfiltered: section.get("unfiltered").map(|entry| entry.boolean()).transpose()?,
        visible: text(section.get("visible"))?,
        removable: text(section.get("removable"))?,
        revision: text(section.get("revision"))?,
        fields: section.get("fields").map(|entry| fields(&entry)).transpose()?.unwrap_or_default(),
        soft_delete: text(section.get("soft-delete"))?,
    };
    section.finish()?;
    Ok(object)
}

fn fields(entry: &Entry) -> Result<BTreeMap<String, FieldType>, ConfigError> {
    entry.section()?.entries().map(|(name, entry)| Ok((name, entry.word(&FIELD_TYPES)?))).collect()
}

fn aliases(entry: &Entry) -> Result<BTreeMap<String, String>, ConfigError> {
    entry.section()?.entries().map(|(name, entry)| Ok((name, entry.text()?.to_owned()))).collect()
}

/// `*` may stand at the beginning and at the end of a pattern.
pub(super) fn patterns(entry: &Entry) -> Result<Vec<String>, ConfigError> {
    let patterns = entry.texts()?;
    let inner = |pattern: &str| {
        let rest = pattern.strip_prefix('*').unwrap_or(pattern);
        rest.strip_suffix('*').unwrap_or(rest).contains('*')
    };
    match patterns.iter().find(|pattern| inner(pattern)) {
        Some(pattern) => {
            Err(entry.wrong(&format!("can't hold `{pattern}`: `*` may stand at an end of a pattern only")))
        }
        None => Ok(patterns),
    }
}
