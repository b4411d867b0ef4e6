//! From the file's tables to the configuration.

use std::collections::BTreeMap;
use std::path::Path;

use toml::de::DeTable;

use super::section::{Entry, Section, wrong};
use super::{Config, ConfigError, Engine, MAX_CAP, ObjectConfig, Target, postgres};
use crate::bridge::FieldType;
use crate::tools::Consent;

const CONSENTS: [(&str, Consent); 4] =
    [("none", Consent::None), ("attest", Consent::Attest), ("accept", Consent::Accept), ("typed", Consent::Typed)];

const FIELD_TYPES: [(&str, FieldType); 10] = [
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
    if let Some(entry) = root.get("objects") {
        for (name, entry) in entry.section()?.entries() {
            let section = entry.section()?.titled(format!("[objects.{name}]"));
            config.objects.insert(name, object(section)?);
        }
    }
    root.finish()?;
    Ok(config)
}

fn target(mut section: Section) -> Result<Target, ConfigError> {
    let name = section.get("name").map(|entry| entry.text().map(str::to_owned)).transpose()?;
    let environment = section.get("environment").map(|entry| entry.text().map(str::to_owned)).transpose()?;
    let named = environment.as_deref().is_some_and(Target::is_production);
    let production = match section.get("production") {
        None => named,
        Some(entry) if named && !entry.boolean()? => {
            return Err(entry.wrong("can't be false in an environment that is called production"));
        }
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

/// `*` may stand at the beginning and at the end of a pattern.
fn patterns(entry: &Entry) -> Result<Vec<String>, ConfigError> {
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
