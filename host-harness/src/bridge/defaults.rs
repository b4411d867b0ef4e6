//! Bounds and choices that are the same over every engine.

use std::time::Duration;

/// Columns that name a record to people where none is configured: the first that exists and holds text.
pub(super) const LABELS: [&str; 6] = ["name", "title", "label", "subject", "display_name", "email"];

/// Most records of one page: a page is held in memory as a whole.
pub(super) const PAGE_LIMIT: u32 = 1000;

/// Characters of a label that leave the bridge; the guest cuts them further.
pub(super) const LABEL_LIMIT: usize = 200;

/// How deep groups of a filter may nest. Arguments nest to 32 at most, and a group takes at least one level there.
pub(super) const FILTER_DEPTH: usize = 64;

/// How long a statement waits for another connection's lock before the record is refused as busy. Long enough for a
/// writer that is at work, short enough that a call of 200 records is not held for minutes by one that hangs.
pub(crate) const LOCK_TIME: Duration = Duration::from_secs(2);

/// How long one function of the bridge may take where the call's own deadline is not earlier: a filter over a table of
/// millions without an index may take seconds, and a statement that nobody waits for any more must end.
pub(crate) const FUNCTION_TIME: Duration = Duration::from_secs(30);
