//! Whose session is whose, over HTTP: a session is its beginner's alone, whoever else gets hold of its id.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};

use rmcp::transport::streamable_http_server::SessionManager;
use rmcp::transport::streamable_http_server::session::local::{LocalSessionManager, SessionConfig};

use super::limits::SESSION_LIFE;

/// Sessions known before those that have ended are looked for.
const SWEEP: usize = 256;

/// The sessions of a server, and who began each.
#[derive(Default)]
pub struct Owners {
    by_session: Mutex<HashMap<String, String>>,
}

/// Where the library keeps its sessions.
pub fn manager() -> LocalSessionManager {
    let mut config = SessionConfig::default();
    config.keep_alive = Some(SESSION_LIFE);
    let mut manager = LocalSessionManager::default();
    manager.session_config = config;
    manager
}

impl Owners {
    /// A session has begun.
    pub async fn began(&self, session: &str, caller: &str, manager: &LocalSessionManager) {
        let known: Vec<String> = {
            let mut owners = self.owners();
            owners.insert(session.to_owned(), caller.to_owned());
            if owners.len().is_multiple_of(SWEEP) { owners.keys().cloned().collect() } else { Vec::new() }
        };
        for session in known {
            if !manager.has_session(&session.as_str().into()).await.unwrap_or(true) {
                self.owners().remove(&session);
            }
        }
    }

    /// Whether this caller may use the session. One that nobody began is not here to be used.
    pub fn admits(&self, session: &str, caller: &str) -> bool {
        self.owners().get(session).is_some_and(|owner| owner == caller)
    }

    fn owners(&self) -> std::sync::MutexGuard<'_, HashMap<String, String>> {
        self.by_session.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
