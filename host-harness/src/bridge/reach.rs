//! What was reached along the foreign keys from records that are to be removed, and how often it counts.

use std::collections::{BTreeMap, HashSet};
use std::hash::Hash;

use super::{Dependents, Effect};

/// Rows that are looked at, over all tables: beyond that the answer would take longer than it is worth, and the count
/// is not known.
pub(super) const MAX_ROWS: usize = 100_000;

/// Rows whose dependents are asked for in one statement.
pub(super) const BATCH: usize = 500;

/// Rows that were reached, by their table and by the way: what happens to them, and whether even where they go in the
/// same step. `K` tells a row from every other of its table.
pub(super) struct Reach<'t, K> {
    ways: BTreeMap<(&'t str, Effect, bool), Rows<K>>,
}

struct Rows<K> {
    all: HashSet<K>,
    /// Those of them that the caller sees.
    seen: HashSet<K>,
}

impl<'t, K: Clone + Eq + Hash> Reach<'t, K> {
    pub fn new() -> Reach<'t, K> {
        Reach { ways: BTreeMap::new() }
    }

    /// Notes rows of a table, each with whether the caller sees it, and gives back those that were not known. `own` are
    /// the records themselves, where they are in this table.
    pub fn note(
        &mut self,
        table: &'t str,
        effect: Effect,
        at_once: bool,
        found: Vec<(K, bool)>,
        own: Option<&HashSet<K>>,
    ) -> Vec<K> {
        let way = self
            .ways
            .entry((table, effect, at_once))
            .or_insert_with(|| Rows { all: HashSet::new(), seen: HashSet::new() });
        let mut new = Vec::new();
        for (row, seen) in found {
            if own.is_some_and(|own| own.contains(&row)) || !way.all.insert(row.clone()) {
                continue;
            }
            if seen {
                way.seen.insert(row.clone());
            }
            new.push(row);
        }
        new
    }

    /// Each row once for each effect, sorted. A row that goes anyway is not detached, and stands in nobody's way unless
    /// its key says `RESTRICT`.
    pub fn counts(&self) -> Vec<Dependents> {
        let mut tables: Vec<&str> = self.ways.keys().map(|(table, ..)| *table).collect();
        tables.dedup();
        let mut counts = Vec::new();
        for table in tables {
            let of = |effect, at_once| self.ways.get(&(table, effect, at_once));
            let goes = of(Effect::Cascade, false);
            let stays = |rows: &Rows<K>| -> HashSet<K> {
                let goes = |row: &&K| goes.is_some_and(|goes| goes.all.contains(*row));
                rows.seen.iter().filter(|row| !goes(row)).cloned().collect()
            };
            let cascade = goes.map_or(0, |rows| rows.seen.len());
            let mut restrict = of(Effect::Restrict, false).map(stays).unwrap_or_default();
            restrict.extend(of(Effect::Restrict, true).map(|rows| rows.seen.clone()).unwrap_or_default());
            let detach = of(Effect::Detach, false).map(stays).unwrap_or_default().len();
            for (effect, count) in
                [(Effect::Cascade, cascade), (Effect::Restrict, restrict.len()), (Effect::Detach, detach)]
            {
                if count > 0 {
                    counts.push(Dependents { object: table.to_owned(), count: count as u64, effect });
                }
            }
        }
        counts
    }
}
