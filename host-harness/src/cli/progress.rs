//! How far a long deletion is, seen from the bridge.

use std::io::{IsTerminal, Write};

use async_trait::async_trait;
use delete_records::id;
use delete_records::json::Json;
use deletegate::bridge::{Bridge, Failure, Field, Page, Principal, RecordId, Removal, Scalar, Selection, Totals};

/// Below this many records the answer is there before anybody reads a line.
const WORTH_SHOWING: u64 = 25;

/// A bridge that shows on standard error how many records have been attempted.
pub struct Progress {
    bridge: Box<dyn Bridge>,
    of: u64,
    attempted: u64,
    shown: bool,
    key: Vec<Field>,
    last: Option<RecordId>,
}

impl Progress {
    /// Watches a bridge through which `of` records are about to be removed.
    pub fn over(bridge: Box<dyn Bridge>, of: u64) -> Progress {
        let shown = of >= WORTH_SHOWING && std::io::stderr().is_terminal();
        Progress { bridge, of, attempted: 0, shown, key: Vec::new(), last: None }
    }

    /// The id that was attempted last, as the tools show it.
    pub fn last(&self) -> Option<Json> {
        self.last.as_ref().map(|last| id::show(&self.key, last))
    }

    /// Takes the line away.
    pub fn clear(&self) {
        if self.shown && self.attempted > 0 {
            eprint!("\r\x1b[K");
        }
    }
}

#[async_trait]
impl Bridge for Progress {
    async fn resolve_principal(&mut self, object: &str) -> Result<Principal, Failure> {
        let principal = self.bridge.resolve_principal(object).await?;
        if let Some(access) = &principal.access {
            self.key.clone_from(&access.key);
        }
        Ok(principal)
    }

    async fn query(
        &mut self,
        object: &str,
        selection: &Selection,
        after: Option<&[Scalar]>,
        limit: u32,
    ) -> Result<Page, Failure> {
        self.bridge.query(object, selection, after, limit).await
    }

    async fn aggregate(&mut self, object: &str, selection: &Selection) -> Result<Totals, Failure> {
        self.bridge.aggregate(object, selection).await
    }

    async fn remove(&mut self, object: &str, id: &[Scalar], revision: Option<&str>) -> Result<Removal, Failure> {
        self.attempted += 1;
        self.last = Some(id.to_vec());
        if self.shown {
            eprint!("\r{} of {} records", self.attempted, self.of);
            // A line that can't be shown is no reason to stop.
            let _ = std::io::stderr().flush();
        }
        self.bridge.remove(object, id, revision).await
    }
}
