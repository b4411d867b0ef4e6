//! The tools as an MCP server, over stdio and streamable HTTP, on the `rmcp` crate.
//!
//! | room | what it does |
//! | --- | --- |
//! | [`envelope`] | reads each raw message before the library does |
//! | [`stdio`], [`http`] | carry messages; over HTTP each request says by its token who sends it |
//! | `pages` | what browsers are told about web pages |
//! | `sessions` | whose session is whose |
//! | [`handler`] | the protocol's requests: the list, a call, and its question |
//! | `running` | one call of the component, on a thread that may block |
//! | `quota`, [`limits`] | how much is under way at once |
//! | `progress`, `log` | what a client, and the log, are told of a call |
//!
//! Revisions 2025-06-18, 2025-11-25 and 2026-07-28 are spoken. Up to 2025-11-25 the question to a person is a request to
//! the client during the call; from 2026-07-28 it is the call's answer, and the call is made again. In neither does an
//! instance, a connection or a lock wait for a person.

pub mod envelope;
pub mod handler;
pub mod http;
pub mod limits;
mod log;
mod pages;
mod progress;
mod quota;
mod running;
mod sessions;
pub mod stdio;
mod tool;

use std::sync::Arc;

use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use crate::approval::seal::Seal;
use crate::bridge::Database;
use crate::plugin::Plugin;
use crate::tools::Settings;
pub use handler::Handler;
pub use limits::{MESSAGE_BYTES, ServerLimits};
use quota::Quota;
pub use tool::listed;

/// What every session of a server shares. Clones are the same server.
#[derive(Clone)]
pub struct Server {
    shared: Arc<Shared>,
}

struct Shared {
    plugin: Plugin,
    database: Database,
    settings: Settings,
    seal: Seal,
    limits: ServerLimits,
    calls: Quota,
    questions: Quota,
    /// Calls that run; waited for when the server stops.
    running: TaskTracker,
    /// No call begins any more, and those that run stop at their next record.
    stopping: CancellationToken,
}

impl Server {
    /// A server of these tools over this database.
    pub fn new(plugin: Plugin, database: Database, settings: Settings, seal: Seal, limits: ServerLimits) -> Server {
        let calls = Quota::new(limits.calls, limits.calls_of_one);
        let questions = Quota::new(limits.questions, limits.questions_of_one);
        let (running, stopping) = (TaskTracker::new(), CancellationToken::new());
        let shared = Shared { plugin, database, settings, seal, limits, calls, questions, running, stopping };
        Server { shared: Arc::new(shared) }
    }

    /// Stops: no call begins any more; those in flight finish their current record, and report. Returns when they have,
    /// or after [`limits::STOPPING_TIME`].
    pub async fn stop(&self) {
        self.shared.stopping.cancel();
        self.shared.running.close();
        if tokio::time::timeout(limits::STOPPING_TIME, self.shared.running.wait()).await.is_err() {
            tracing::error!("calls are still running; what they have deleted is not reported");
        }
        // The library writes the answers; it does not say when it has.
        tokio::time::sleep(limits::FLUSH_TIME).await;
    }
}
