//! What is in the engine when a case begins, and the settings that hold.

use anyhow::Context;
use deletegate::bridge::memory::Tables;
use deletegate::tools::Settings;
use serde_json::{Map, Value as Json};

use crate::arguments::numbered;
use crate::case::Body;

/// Tables and settings of one case.
#[derive(Clone, Debug)]
pub struct Fixture {
    /// The data and its rules.
    pub tables: Tables,
    /// What the host's owner decided.
    pub settings: Settings,
}

impl Fixture {
    /// The case's fixture, with what the case says otherwise put over it.
    pub fn of(case: &Body) -> anyhow::Result<Fixture> {
        let path = crate::root().join("fixtures").join(format!("{}.json", case.fixture));
        let text = std::fs::read_to_string(&path).with_context(|| format!("no fixture {:?}", case.fixture))?;
        let mut fixture: Map<String, Json> = serde_json::from_str(&text)?;
        let mut part = |name: &str, over: &Json| {
            let mut base = fixture.remove(name).unwrap_or_else(|| Json::Object(Map::new()));
            lay_over(&mut base, over);
            base
        };
        Fixture::new(part("tables", &case.tables), part("settings", &case.settings))
            .with_context(|| format!("fixture {:?}", case.fixture))
    }

    /// A fixture of data.
    pub fn new(mut tables: Json, settings: Json) -> anyhow::Result<Fixture> {
        let objects = tables.get_mut("objects").and_then(Json::as_object_mut);
        for object in objects.into_iter().flat_map(|objects| objects.values_mut()) {
            if let Some(rows) = object.get_mut("rows").and_then(Json::as_array_mut) {
                *rows = std::mem::take(rows).into_iter().flat_map(repeated).collect();
            }
        }
        Ok(Fixture { tables: serde_json::from_value(tables)?, settings: crate::settings::read(settings)? })
    }
}

/// Objects are laid over one another member by member; everything else is replaced.
fn lay_over(base: &mut Json, over: &Json) {
    match (base, over) {
        (_, Json::Null) => {}
        (Json::Object(base), Json::Object(over)) => {
            for (name, value) in over {
                match base.get_mut(name) {
                    Some(inner) if inner.is_object() && value.is_object() => lay_over(inner, value),
                    _ => {
                        base.insert(name.clone(), value.clone());
                    }
                }
            }
        }
        (base, over) => *base = over.clone(),
    }
}

/// A row, or the rows that `{"repeat": row, "times": n}` stands for. In the row `{n}` is the number of the
/// repetition, from 1: as an integer where it is the whole value, else as text; `{0n}` has four digits.
fn repeated(row: Json) -> Vec<Json> {
    let (Some(repeat), Some(times)) = (row.get("repeat"), row.get("times").and_then(Json::as_u64)) else {
        return vec![row];
    };
    let member = |value: &Json, n: u32| match value {
        Json::String(text) if text == "{n}" => Json::from(n),
        Json::String(text) => Json::from(numbered(text, n)),
        other => other.clone(),
    };
    let row = |n| {
        let members = repeat.as_object().into_iter().flatten();
        Json::Object(members.map(|(name, value)| (name.clone(), member(value, n))).collect())
    };
    (1..=u32::try_from(times).unwrap_or(u32::MAX)).map(row).collect()
}
