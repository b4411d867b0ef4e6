//! Which records a call means, read through the bridge (contract, section 4).

use crate::Bridge;
use crate::bridge::{Access, Count, Failure, Page, RecordId, Row, Selection};
use crate::id;
use crate::json::Json;
use crate::prelude::*;
use crate::refused::Refused;
use crate::sorted;

/// What a call selects.
pub struct Wanted {
    /// What the bridge is asked for; none where nothing can match.
    pub selection: Option<Selection>,
    /// The ids that were listed, each once, in the order they came; none for a filter.
    pub listed: Option<Vec<RecordId>>,
    /// Continue behind this record.
    pub after: Option<RecordId>,
}

impl Wanted {
    /// These ids, each once.
    pub fn ids(ids: Vec<RecordId>) -> Wanted {
        Wanted { selection: Some(Selection::Ids(ids.clone())), listed: Some(ids), after: None }
    }
}

/// The records that were read, at most the cap.
pub struct Found {
    /// In the host's order.
    pub rows: Vec<Row>,
    /// Listed ids that name no record which the caller can read, in the order they came.
    pub not_found: Vec<RecordId>,
    /// How many records match.
    pub matched: Matched,
    /// More match than were read.
    pub more: bool,
}

/// How many records match.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Matched {
    /// Just so many.
    Exactly(u64),
    /// More than so many: nobody counted to the end.
    MoreThan(u64),
}

/// The ids of a list argument: at most `cap`, counted as sent; equal ones collapse.
pub fn listed(access: &Access, ids: &[Json], argument: &str, cap: u32) -> Result<Wanted, Refused> {
    if ids.len() > cap as usize {
        return Err(Refused::invalid(format!(
            "{argument} has {} entries; at most {cap} are taken in one call. Nothing was read or deleted.",
            ids.len()
        )));
    }
    let mut seen = Vec::new();
    let mut listed = Vec::with_capacity(ids.len());
    for (at, id) in ids.iter().enumerate() {
        let id = id::read(&access.key, id, &format!("{argument}[{at}]"))?;
        if sorted::insert(&mut seen, id.clone()) {
            listed.push(id);
        }
    }
    Ok(Wanted::ids(listed))
}

/// Reads the records, page by page, until the cap or the end; counts only where more match than that.
pub fn read(bridge: &mut dyn Bridge, access: &Access, wanted: &Wanted, cap: u32) -> Result<Found, Refused> {
    let Some(selection) = &wanted.selection else {
        let not_found = Vec::new();
        return Ok(Found { rows: Vec::new(), not_found, matched: Matched::Exactly(0), more: false });
    };
    let limit = wanted.listed.as_ref().map_or(cap as usize, Vec::len);
    let listed = wanted.listed.as_ref().map(|ids| {
        let mut listed = Vec::with_capacity(ids.len());
        ids.iter().for_each(|id| _ = sorted::insert(&mut listed, id.clone()));
        listed
    });
    let mut reading = Reading { access, listed: listed.as_deref(), rows: Vec::new(), seen: Vec::new() };
    let mut more = true;
    while more && reading.rows.len() < limit {
        let left = limit - reading.rows.len();
        let after = reading.rows.last().map(|row| &row.id).or(wanted.after.as_ref());
        // `left` is at most the cap, which is at most `settings::MAX_CAP`.
        let page = bridge.query(&access.object, selection, after.map(Vec::as_slice), left as u32)?;
        more = reading.take(page, left)?;
    }
    let Reading { rows, seen, .. } = reading;
    // Every listed id has been looked for once all are found; a host that says otherwise is beside the point.
    let more = more && wanted.listed.is_none();
    let read = rows.len() as u64;
    let matched = match (more, &wanted.after) {
        (false, _) => Matched::Exactly(read),
        (true, None) => count(bridge, access, selection, read)?,
        // The bridge counts what the filter matches, and only some of that lies behind `after`.
        (true, Some(_)) => Matched::MoreThan(read),
    };
    let listed = wanted.listed.iter().flatten();
    let not_found = listed.filter(|id| !sorted::contains(&seen, &id::normal(id))).cloned().collect();
    Ok(Found { rows, not_found, matched, more })
}

struct Reading<'a> {
    access: &'a Access,
    listed: Option<&'a [RecordId]>,
    rows: Vec<Row>,
    seen: Vec<RecordId>,
}

impl Reading<'_> {
    /// Takes a page in, and says whether there is more. A page that can't be what was asked for is the
    /// host's fault, and nothing is deleted on its word.
    fn take(&mut self, page: Page, most: usize) -> Result<bool, Refused> {
        if page.rows.len() > most || (page.more && page.rows.is_empty()) {
            return Err(fault("The host answered a page of another size than was asked for."));
        }
        for row in page.rows {
            let normal = id::normal(&row.id);
            if !id::fits(&self.access.key, &row.id) {
                return Err(fault("The host answered a record whose id is none of this object's key."));
            }
            if self.listed.is_some_and(|listed| !sorted::contains(listed, &normal))
                || !sorted::insert(&mut self.seen, normal)
            {
                return Err(fault("The host answered a record that was not asked for, or one twice."));
            }
            self.rows.push(row);
        }
        Ok(page.more)
    }
}

fn count(bridge: &mut dyn Bridge, access: &Access, selection: &Selection, read: u64) -> Result<Matched, Refused> {
    match bridge.aggregate(&access.object, selection) {
        // Records may have gone since; never fewer than were read.
        Ok(totals) => Ok(match totals.count {
            Count::Exact(count) => Matched::Exactly(count.max(read)),
            Count::AtLeast(count) => Matched::MoreThan(count.saturating_sub(1).max(read)),
        }),
        Err(Failure::Unsupported) => Ok(Matched::MoreThan(read)),
        Err(failure) => Err(failure.into()),
    }
}

fn fault(sentence: &str) -> Refused {
    Refused::new("ENGINE_FAULT", 502, format!("{sentence} Nothing was deleted."))
}
