//! The caller, as the database knows them: settings of one transaction.

use std::time::Duration;

use serde_json::json;

use super::connection::Time;
use super::refusal::{known, no_role};
use super::sql::{Params, Statement};
use crate::bridge::Failure;
use crate::config::{PostgresConfig, ROLE_ACTOR};
use crate::identity::Caller;

/// How often a statement that runs looks whether its client is still there, in milliseconds.
pub(super) const CHECK: (&str, &str) = ("client_connection_check_interval", "250");

/// Set with the rest, for the transaction alone: whoever sees it runs as the caller.
const SETTLED: (&str, &str) = ("deletegate.settled", "on");

/// True in a statement that runs as the caller. Statements are sent before the server has answered `BEGIN`; should it
/// refuse that (somebody stops it at just this moment), the settings would end with their own statement, and what follows
/// would run as the connection's own role.
pub(super) fn settled() -> String {
    format!("pg_catalog.current_setting('{}', TRUE) IS NOT DISTINCT FROM '{}'", SETTLED.0, SETTLED.1)
}

/// `SET ROLE none` means the connection's own role.
const NO_ROLE: &str = "none";

/// The settings of a transaction for a caller, all in one statement. They end with it.
pub(super) struct Settings {
    statement: Statement,
    time: Duration,
}

/// What matters of a server to whoever calls.
#[derive(Clone, Copy)]
pub(super) struct Server {
    /// Whether it can look for its client while a statement runs; not every system can.
    pub checks: bool,
    /// Bytes of a name. It cuts a longer one there, and that is somebody else's.
    pub name_bytes: usize,
}

impl Settings {
    pub fn new(caller: &Caller, config: &PostgresConfig, server: Server) -> Result<Settings, Failure> {
        let mut params = Params::default();
        // Should this program end between two statements, on a host that does not say so, the second of them counts.
        let time = params.text(milliseconds(config.statement_timeout));
        let parts: Vec<String> = ["statement_timeout", "idle_in_transaction_session_timeout"]
            .map(|name| (format!("'{name}'"), time.clone()))
            .into_iter()
            .chain(
                settings(caller, config, server)?
                    .into_iter()
                    .map(|(name, value)| (params.text(name), params.text(value))),
            )
            .map(|(name, value)| format!("pg_catalog.set_config({name}, {value}, TRUE)"))
            .collect();
        let statement = Statement::kept(format!("SELECT {}", parts.join(", ")), params);
        Ok(Settings { statement, time: config.statement_timeout })
    }

    /// The statement for the time that a transaction has now.
    pub fn within(&mut self, time: &Time) -> &mut Statement {
        if self.time != time.statement {
            self.time = time.statement;
            let mut first = Params::default();
            first.text(milliseconds(self.time));
            self.statement.params.lead(&first);
        }
        &mut self.statement
    }
}

fn milliseconds(time: Duration) -> String {
    time.as_millis().max(1).to_string()
}

fn settings<'c>(
    caller: &Caller,
    config: &'c PostgresConfig,
    server: Server,
) -> Result<Vec<(&'c str, String)>, Failure> {
    known(caller)?;
    let role = role(caller, config, server)?;
    let mut settings = vec![
        (SETTLED.0, SETTLED.1.to_owned()),
        ("lock_timeout", config.lock_timeout.as_millis().to_string()),
        // What a caller before left behind is an empty text at most, and so is this: no user.
        (config.actor_setting.as_str(), caller.actor().unwrap_or_default().to_owned()),
    ];
    if server.checks {
        // Should it end, or nobody wait any more, while a statement waits for a lock.
        settings.push((CHECK.0, CHECK.1.to_owned()));
    }
    if let Some(name) = &config.claims_setting {
        let claims = match caller.actor() {
            Some(actor) => match &role {
                Some(role) => json!({ "sub": actor, "role": role }).to_string(),
                None => json!({ "sub": actor }).to_string(),
            },
            None => String::new(),
        };
        settings.push((name, claims));
    }
    // Last, so that the role need not be allowed to set the others.
    settings.extend(role.map(|role| ("role", role)));
    Ok(settings)
}

fn role(caller: &Caller, config: &PostgresConfig, server: Server) -> Result<Option<String>, Failure> {
    let role = match caller.actor() {
        Some(actor) => config.role.as_ref().map(|role| role.replace(ROLE_ACTOR, actor)),
        None => config.system_role.clone(),
    };
    match role {
        Some(role) if role.eq_ignore_ascii_case(NO_ROLE) || role.len() > server.name_bytes => Err(no_role()),
        role => Ok(role),
    }
}

/// Whether the caller's role is their own, so that it may be anybody's.
pub(super) fn has_own_role(caller: &Caller, config: &PostgresConfig) -> bool {
    caller.actor().is_some() && config.role.as_ref().is_some_and(|role| role.contains(ROLE_ACTOR))
}
