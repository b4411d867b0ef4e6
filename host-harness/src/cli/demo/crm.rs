//! The CRM of the demonstration, in either engine.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use deletegate::bridge::postgres::cluster::{Cluster, SUPERUSER};
use rusqlite::Connection;
use tempfile::TempDir;
use tokio_postgres::{Client, NoTls, SimpleQueryMessage};

use crate::cli::access::runtime;

/// The engines that the demonstration can have.
#[derive(Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub enum Engine {
    /// A file in a temporary folder.
    Sqlite,
    /// A server of its own, which ends with the demonstration.
    Postgres,
}

/// A CRM and its configuration.
pub struct Crm {
    folder: TempDir,
    cluster: Option<Cluster>,
}

const LEFT: &str = "SELECT id, title, status, period, owner FROM crm_task ORDER BY id";
const NOTES: &str = "SELECT count(*) FROM crm_note";

impl Crm {
    /// Makes the database and its configuration.
    pub fn make(engine: Engine) -> Result<Crm> {
        let folder =
            tempfile::Builder::new().prefix("deletegate-demo-").tempdir().context("no temporary folder can be made")?;
        let (cluster, config) = match engine {
            Engine::Sqlite => {
                let connection =
                    Connection::open(folder.path().join("crm.db")).context("the database can't be made")?;
                connection.execute_batch(include_str!("crm.sql")).context("the tables can't be made")?;
                (None, include_str!("crm.toml").to_owned())
            }
            Engine::Postgres => {
                let cluster = Cluster::start("")?;
                runtime()?.block_on(async {
                    let client = connect(&cluster).await?;
                    client.batch_execute(include_str!("crm_postgres.sql")).await.context("the tables can't be made")
                })?;
                let address = cluster.address("crm_host", "postgres");
                let config = format!("engine = \"{address}\"\n\n{}", include_str!("crm_postgres.toml"));
                (Some(cluster), config)
            }
        };
        std::fs::write(folder.path().join("crm.toml"), config).context("the configuration can't be written")?;
        Ok(Crm { folder, cluster })
    }

    /// The configuration's file.
    pub fn config(&self) -> PathBuf {
        self.folder.path().join("crm.toml")
    }

    /// Where it is, in words.
    pub fn place(&self) -> String {
        match &self.cluster {
            None => format!("A CRM in {}: accounts, tasks and notes, in SQLite.", self.folder.path().display()),
            Some(cluster) => format!(
                "A CRM in a PostgreSQL server of its own, at the socket in {}: accounts, tasks and notes.",
                cluster.folder().display()
            ),
        }
    }

    /// What the database itself says is left, past every bridge.
    pub fn left(&self) -> Result<Vec<String>> {
        let (tasks, notes) = match &self.cluster {
            None => from_file(&self.folder.path().join("crm.db"))?,
            Some(cluster) => runtime()?.block_on(from_server(cluster))?,
        };
        let line = |[id, title, status, period, owner]: [String; 5]| {
            format!("{id}  {title:<28} {status:<5} {period}  {owner}")
        };
        Ok(tasks.into_iter().map(line).chain([format!("and {notes} notes")]).collect())
    }

    /// Leaves the folder where it is, to be tried out; `None` where the server ends.
    pub fn keep(self) -> Option<PathBuf> {
        match self.cluster {
            None => Some(self.folder.keep()),
            Some(_) => None,
        }
    }
}

fn from_file(file: &Path) -> Result<(Vec<[String; 5]>, String)> {
    let connection = Connection::open(file)?;
    let mut tasks = connection.prepare(LEFT)?;
    let tasks = tasks.query_map([], |row| {
        let mut values: [String; 5] = Default::default();
        for (place, value) in values.iter_mut().enumerate() {
            *value = row.get(place)?;
        }
        Ok(values)
    })?;
    let tasks = tasks.collect::<rusqlite::Result<_>>()?;
    let notes: i64 = connection.query_row(NOTES, [], |row| row.get(0))?;
    Ok((tasks, notes.to_string()))
}

async fn from_server(cluster: &Cluster) -> Result<(Vec<[String; 5]>, String)> {
    let client = connect(cluster).await?;
    let rows = async |sql: &str| -> Result<Vec<Vec<String>>> {
        let answers = client.simple_query(sql).await?;
        let row = |answer: SimpleQueryMessage| match answer {
            SimpleQueryMessage::Row(row) => {
                Some((0..row.len()).map(|place| row.get(place).unwrap_or_default().to_owned()).collect())
            }
            _ => None,
        };
        Ok(answers.into_iter().filter_map(row).collect())
    };
    let tasks = rows(LEFT).await?.into_iter().filter_map(|values| values.try_into().ok()).collect();
    Ok((tasks, rows(NOTES).await?.concat().concat()))
}

async fn connect(cluster: &Cluster) -> Result<Client> {
    let (client, connection) = tokio_postgres::connect(&cluster.address(SUPERUSER, "postgres"), NoTls).await?;
    tokio::spawn(connection);
    Ok(client)
}
