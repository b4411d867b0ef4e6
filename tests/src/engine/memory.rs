//! The engine in memory: the fixture as it is.

use std::collections::BTreeMap;

use deletegate::bridge::Bridge;
use deletegate::bridge::memory::{Change, Memory, Tables, id_json};
use serde_json::Value as Json;

use super::Engine;
use crate::case::Caller;

pub(super) struct InMemory {
    memory: Memory,
    keys: BTreeMap<String, Vec<String>>,
}

impl InMemory {
    pub(super) fn new(tables: &Tables) -> anyhow::Result<Self> {
        let keys = tables.objects.iter().map(|(name, object)| (name.clone(), object.key.clone())).collect();
        Ok(InMemory { memory: Memory::new(tables.clone())?, keys })
    }
}

impl Engine for InMemory {
    fn bridge(&self, caller: &Caller) -> Box<dyn Bridge> {
        Box::new(self.memory.bridge(&caller.identity()))
    }

    fn apply(&self, change: &Change) -> anyhow::Result<()> {
        Ok(self.memory.apply(change)?)
    }

    fn left(&self) -> anyhow::Result<BTreeMap<String, Json>> {
        let ids = |name: &String, key: &Vec<String>| self.memory.ids(name).iter().map(|id| id_json(key, id)).collect();
        Ok(self.keys.iter().map(|(name, key)| (name.clone(), ids(name, key))).collect())
    }
}
