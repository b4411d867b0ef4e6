//! The CRM of the demonstration.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use rusqlite::Connection;

const SCHEMA: &str = include_str!("crm.sql");
const CONFIG: &str = include_str!("crm.toml");

/// Makes the database and its configuration in a folder, and gives the configuration's path.
pub fn make(folder: &Path) -> Result<PathBuf> {
    let connection = Connection::open(folder.join("crm.db")).context("the database can't be made")?;
    connection.execute_batch(SCHEMA).context("the tables can't be made")?;
    let config = folder.join("crm.toml");
    std::fs::write(&config, CONFIG).context("the configuration can't be written")?;
    Ok(config)
}

/// What the database itself says is left, past every bridge.
pub fn left(folder: &Path) -> Result<Vec<String>> {
    let connection = Connection::open(folder.join("crm.db"))?;
    let mut tasks = connection.prepare("SELECT id, title, status, period, owner FROM crm_task ORDER BY id")?;
    let mut lines: Vec<String> = tasks
        .query_map([], |row| {
            let (id, title): (String, String) = (row.get(0)?, row.get(1)?);
            let (status, period, owner): (String, String, String) = (row.get(2)?, row.get(3)?, row.get(4)?);
            Ok(format!("{id}  {title:<28} {status:<5} {period}  {owner}"))
        })?
        .collect::<rusqlite::Result<_>>()?;
    let notes: i64 = connection.query_row("SELECT count(*) FROM crm_note", [], |row| row.get(0))?;
    lines.push(format!("and {notes} notes"));
    Ok(lines)
}
