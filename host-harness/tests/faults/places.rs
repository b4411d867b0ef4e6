//! One table of records in either engine, and the program that removes them.

use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use deletegate::bridge::postgres::cluster::{Cluster, SUPERUSER};
use rusqlite::Connection;
use serde_json::Value;
use tempfile::TempDir;
use tokio_postgres::{NoTls, SimpleQueryMessage};

pub const PROGRAM: &str = env!("CARGO_BIN_EXE_deletegate");
pub const RECORDS: i64 = 200;

/// Where the records are. Half are ana's, half are bo's; every removal takes a few milliseconds, so that a call can be met
/// in the middle.
pub enum Place {
    Sqlite(TempDir),
    Postgres(Box<Cluster>),
}

impl Place {
    pub fn sqlite() -> Place {
        Place::sqlite_in(tempfile::tempdir().unwrap())
    }

    pub fn sqlite_in(folder: TempDir) -> Place {
        let place = Place::Sqlite(folder);
        Connection::open(place.file())
            .unwrap()
            .execute_batch(&format!(
                "CREATE TABLE record (id INTEGER PRIMARY KEY, owner TEXT NOT NULL);
                 WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < {RECORDS})
                 INSERT INTO record SELECT i, iif(i % 2, 'ana', 'bo') FROM n;
                 CREATE TRIGGER slow BEFORE DELETE ON record BEGIN
                     SELECT max(i) FROM (WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 300000) SELECT i FROM n);
                 END;"
            ))
            .unwrap();
        place
    }

    pub fn postgres() -> Place {
        Place::postgres_on(Cluster::start("").unwrap())
    }

    pub fn postgres_on(cluster: Cluster) -> Place {
        let place = Place::Postgres(Box::new(cluster));
        place.run(&format!(
            "CREATE ROLE member; CREATE ROLE host LOGIN IN ROLE member;
             CREATE TABLE record (id integer PRIMARY KEY, owner text NOT NULL); GRANT SELECT, DELETE ON record TO member;
             INSERT INTO record SELECT n, CASE WHEN n % 2 = 1 THEN 'ana' ELSE 'bo' END FROM generate_series(1, {RECORDS}) AS n;
             ALTER TABLE record ENABLE ROW LEVEL SECURITY;
             CREATE POLICY own ON record USING (owner = current_setting('app.actor'));
             CREATE FUNCTION slow() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN PERFORM pg_sleep(0.03); RETURN OLD; END $$;
             CREATE TRIGGER slow BEFORE DELETE ON record FOR EACH ROW EXECUTE FUNCTION slow();"
        ));
        place
    }

    fn folder(&self) -> &Path {
        match self {
            Place::Sqlite(folder) => folder.path(),
            Place::Postgres(cluster) => cluster.folder(),
        }
    }

    fn file(&self) -> PathBuf {
        self.folder().join("records.db")
    }

    pub fn run(&self, sql: &str) {
        match self {
            Place::Sqlite(_) => Connection::open(self.file()).unwrap().execute_batch(sql).unwrap(),
            Place::Postgres(_) => drop(self.ask(sql)),
        }
    }

    /// What the server says, of the first column, past every rule.
    pub fn ask(&self, sql: &str) -> Vec<String> {
        let Place::Postgres(cluster) = self else { panic!("SQLite has no server") };
        let address = cluster.address(SUPERUSER, "postgres");
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        runtime.block_on(async {
            let (client, connection) = tokio_postgres::connect(&address, NoTls).await.unwrap();
            tokio::spawn(connection);
            let answers = client.simple_query(sql).await.unwrap();
            let row = |answer: SimpleQueryMessage| match answer {
                SimpleQueryMessage::Row(row) => Some(row.get(0).unwrap_or_default().to_owned()),
                _ => None,
            };
            answers.into_iter().filter_map(row).collect()
        })
    }

    /// The records that are there, in order.
    pub fn left(&self, owner: &str) -> Vec<i64> {
        let sql = format!("SELECT id FROM record WHERE owner = '{owner}' ORDER BY id");
        match self {
            Place::Sqlite(_) => {
                let connection = Connection::open(self.file()).unwrap();
                let mut statement = connection.prepare(&sql).unwrap();
                statement.query_map([], |row| row.get(0)).unwrap().map(Result::unwrap).collect()
            }
            Place::Postgres(_) => self.ask(&sql).iter().map(|id| id.parse().unwrap()).collect(),
        }
    }

    /// The program as ana's agent runs it, which removes all that is hers.
    pub fn start(&self) -> Child {
        let (engine, config) = match self {
            Place::Sqlite(_) => (
                format!("sqlite:{}", self.file().display()),
                "[objects.record]\nvisible = \"owner = :actor\"\n".to_owned(),
            ),
            Place::Postgres(cluster) => {
                (cluster.address("host", "postgres"), "[postgres]\nrole = \"member\"\n".to_owned())
            }
        };
        let file = self.folder().join("deletegate.toml");
        std::fs::write(&file, config).unwrap();
        Command::new(PROGRAM)
            .args(["call", "delete_records", r#"{"objectName": "record", "where": {"owner": "ana"}, "confirm": true}"#])
            .args(["--engine", &engine, "--actor", "ana", "--config"])
            .arg(&file)
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap()
    }

    /// Waits until some of ana's records are gone, and some are not.
    pub fn until_underway(&self) {
        for _ in 0..4000 {
            if (1..=90).contains(&self.left("ana").len()) {
                return;
            }
            std::thread::sleep(Duration::from_millis(2));
        }
        panic!("the call was never met in the middle");
    }
}

/// The program's answer.
pub fn answer(child: Child) -> Value {
    let output = child.wait_with_output().unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    serde_json::from_str(&text).unwrap_or_else(|_| panic!("{text}{}", String::from_utf8_lossy(&output.stderr)))
}

/// What the answer says of a loop that stopped agrees with what is there: the record under way may be gone or not.
pub fn agrees(place: &Place, answer: &Value) {
    let progress = &answer["progress"];
    let deleted = progress["deleted"].as_u64().unwrap();
    let under_way: i64 = answer["error"]["details"]["failedRecordId"].as_str().unwrap().parse().unwrap();
    let left = place.left("ana");
    let uncertain = u64::from(!left.contains(&under_way));
    assert_eq!(100 - left.len() as u64, deleted + uncertain, "{answer}");
    let others = progress["notAttempted"].as_u64().unwrap();
    assert_eq!(deleted + 1 + others, 100, "{answer}");
    assert_eq!(place.left("bo").len(), 100);
}
