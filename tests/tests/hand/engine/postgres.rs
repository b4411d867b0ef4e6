//! PostgreSQL, in a database of its own of a server that the tests start.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use deletegate::bridge::postgres::cluster::{Cluster, SUPERUSER};
use deletegate::config::{self, Address};
use tokio_postgres::{Client, NoTls, SimpleQueryMessage};

use super::{Engine, until};
use crate::wait;

/// Nothing here outlives the tests, so nothing is gained by waiting for the disk. The log says of which database and
/// under which SQLSTATE it speaks.
const SETTINGS: &str = "-c fsync=off -c synchronous_commit=off -c full_page_writes=off -c max_connections=200 \
                        -c log_line_prefix=%d:%e:";

/// The role of the program, which finds a deadlock before anybody else does and so is its victim.
const ROLES: &str = "CREATE ROLE members; CREATE ROLE keeper LOGIN IN ROLE members;
     ALTER ROLE keeper SET deadlock_timeout = '100ms'; ALTER ROLE postgres SET deadlock_timeout = '10min'";

pub struct Postgres {
    name: String,
    other: Client,
}

fn server() -> &'static Cluster {
    static SERVER: OnceLock<Cluster> = OnceLock::new();
    SERVER.get_or_init(|| {
        let cluster = Cluster::start(SETTINGS).unwrap();
        wait(connect(&cluster, "postgres").batch_execute(ROLES)).unwrap();
        cluster
    })
}

fn connect(cluster: &Cluster, database: &str) -> Client {
    let address = cluster.address(SUPERUSER, database);
    wait(async {
        let (client, connection) = tokio_postgres::connect(&address, NoTls).await.unwrap();
        tokio::spawn(connection);
        client
    })
}

fn column(client: &Client, sql: &str) -> Vec<String> {
    let text = |answer: &SimpleQueryMessage| match answer {
        SimpleQueryMessage::Row(row) => Some(row.get(0).unwrap_or("NULL").to_owned()),
        _ => None,
    };
    wait(client.simple_query(sql)).unwrap().iter().filter_map(text).collect()
}

impl Postgres {
    /// How often a session was the victim of a deadlock.
    fn deadlocks(&self) -> usize {
        let log = std::fs::read_to_string(server().folder().join("log")).unwrap();
        log.lines().filter(|line| line.starts_with(&format!("{}:40P01:ERROR", self.name))).count()
    }
}

impl Engine for Postgres {
    const OWNERS_SQL: &'static str = "ALTER TABLE projects ENABLE ROW LEVEL SECURITY;
         CREATE POLICY sees ON projects FOR SELECT USING (TRUE);
         CREATE POLICY changes ON projects FOR UPDATE USING (owner = current_setting('app.actor'));
         CREATE POLICY removes ON projects FOR DELETE USING (owner = current_setting('app.actor'));";
    const OWNERS_CONFIG: &'static str = "";
    const KEEPER: &'static str =
        "CREATE FUNCTION keep() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RETURN NEW; END $$;
         CREATE TRIGGER keeper BEFORE DELETE ON projects FOR EACH ROW WHEN (OLD.id = 1) EXECUTE FUNCTION keep();";
    const CASE_BLIND: (&'static str, &'static str) = (
        "COLLATE blind",
        "CREATE COLLATION blind (provider = icu, locale = 'und-u-ks-level2', deterministic = FALSE);",
    );

    fn new(sql: &str) -> Postgres {
        static MADE: AtomicU32 = AtomicU32::new(0);
        let name = format!("hand{}", MADE.fetch_add(1, Ordering::Relaxed));
        wait(connect(server(), "postgres").batch_execute(&format!("CREATE DATABASE {name}"))).unwrap();
        let other = connect(server(), &name);
        wait(other.batch_execute(sql)).unwrap();
        wait(other.batch_execute("GRANT SELECT, UPDATE, DELETE ON ALL TABLES IN SCHEMA public TO members")).unwrap();
        Postgres { name, other }
    }

    fn address(&self) -> config::Engine {
        config::Engine::Postgres(Address::parse(&server().address("keeper", &self.name)).unwrap())
    }

    fn config(lock_time: Duration) -> String {
        format!("[postgres]\nrole = \"members\"\nlock-timeout-ms = {}\n", lock_time.as_millis())
    }

    fn run(&self, sql: &str) {
        wait(self.other.batch_execute(sql)).unwrap();
    }

    fn column(&self, sql: &str) -> Vec<String> {
        column(&self.other, sql)
    }

    fn lock(&self, id: u32) {
        self.run(&format!("BEGIN; SELECT FROM projects WHERE id = {id} FOR UPDATE"));
    }

    fn unlock(&self) {
        self.run("ROLLBACK");
    }

    /// A cascade takes its locks in an order of its own: the call holds the project and waits for its comment.
    fn cross<T: Send>(&self, call: impl FnOnce() -> T + Send) -> T {
        let watch = connect(server(), "postgres");
        let before = self.deadlocks();
        self.run("BEGIN; SELECT FROM comments WHERE project_id = 1 FOR UPDATE");
        let answer = std::thread::scope(|scope| {
            let calling = scope.spawn(call);
            let waiting =
                format!("SELECT 1 FROM pg_stat_activity WHERE datname = '{}' AND wait_event_type = 'Lock'", self.name);
            until("the call waits for nobody", || column(&watch, &waiting).len() == 1);
            // Returns when the call has been made to give way.
            self.run("SELECT FROM projects WHERE id = 1 FOR UPDATE");
            self.run("COMMIT");
            calling.join().unwrap()
        });
        assert!(self.deadlocks() > before, "there was no deadlock");
        answer
    }

    fn cut(&self) {
        let others = "FROM pg_stat_activity WHERE datname = current_database() AND usename = 'keeper'";
        let cut = self.column(&format!("SELECT pg_terminate_backend(pid) {others}"));
        assert!(!cut.is_empty(), "the program has no connection");
        until("a connection stays", || self.column(&format!("SELECT pid {others}")).is_empty());
    }

    fn in_new_york(&self) {
        self.run(&format!("ALTER DATABASE {} SET timezone = 'America/New_York'", self.name));
        assert_eq!(column(&connect(server(), &self.name), "SHOW timezone"), ["America/New_York"]);
    }
}
