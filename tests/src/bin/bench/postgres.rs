//! What a call over PostgreSQL costs beside plain loops of the same statements, over a Unix socket; and what a preview of a
//! large table costs beside its count and one page.
//!
//! One loop waits for each statement before it sends the next, as such loops are written. The other sends what needs no
//! answer together, from `BEGIN` to `COMMIT`, as the bridge does: what a call costs beside that one is deletegate's own.
//!
//! That the loops run the same statements is not taken for granted: the server lists what it was asked, and the lists must
//! be one.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use anyhow::{Context, ensure};
use deletegate::bridge::postgres::Postgres;
use deletegate::bridge::postgres::cluster::{Cluster, SUPERUSER};
use deletegate::config::{Address, Config};
use deletegate::identity::Caller;
use deletegate::plugin::{Plugin, Reply};
use deletegate::tools::Settings;
use tokio::runtime::Runtime;
use tokio_postgres::types::{ToSql, Type};
use tokio_postgres::{Client, NoTls, Row, Statement};

use crate::{ARGUMENTS, RECORDS, check, median, micros, request};

/// Turns of all three; each gives its ratios, and their medians are told.
const TURNS: usize = 30;
/// Turns before that, to warm caches up.
const WARM_UP: usize = 5;
/// Records of the large table.
const MANY: u32 = 1_000_000;
/// Previews of it.
const PREVIEWS: usize = 9;

const SCHEMA: &str = "CREATE EXTENSION pg_stat_statements;
    CREATE TABLE task (id bigint PRIMARY KEY, title text NOT NULL, done boolean NOT NULL, due date);
    CREATE TABLE note (id bigint PRIMARY KEY, task_id bigint REFERENCES task ON DELETE CASCADE);
    CREATE INDEX ON note (task_id);
    CREATE TABLE event (id bigint PRIMARY KEY, kind text NOT NULL);";

const SETTINGS: [&str; 9] = [
    "30000",
    "deletegate.settled",
    "on",
    "lock_timeout",
    "2000",
    "app.actor",
    "ana",
    "client_connection_check_interval",
    "250",
];

/// Both measures, with a disk that is waited for, and without.
pub fn run(plugin: &Plugin) -> anyhow::Result<()> {
    for (disk, settings) in
        [("with the disk waited for", ""), ("with fsync=off, so that nothing but work is measured", "-c fsync=off")]
    {
        let settings =
            format!("{settings} -c shared_preload_libraries=pg_stat_statements -c pg_stat_statements.track=top");
        let bench = Bench::new(plugin.clone(), &settings)?;
        bench.same_statements()?;
        let mut times = [const { Vec::new() }; 3];
        let mut ratios = [const { Vec::new() }; 2];
        for turn in 0..WARM_UP + TURNS {
            let mut took = [Duration::ZERO; 3];
            // Who goes first changes from turn to turn.
            for at in [0, 1, 2].map(|at| (at + turn) % 3) {
                took[at] = match at {
                    0 => bench.by_loop(Sends::OneByOne)?,
                    1 => bench.by_loop(Sends::Flights)?,
                    _ => bench.by_call()?,
                };
            }
            if turn >= WARM_UP {
                times.iter_mut().zip(took).for_each(|(times, took)| times.push(took));
                let ratio = |beside: Duration| took[2].as_secs_f64() / beside.as_secs_f64();
                ratios.iter_mut().zip(took).for_each(|(ratios, beside)| ratios.push(ratio(beside)));
            }
        }
        let [one_by_one, flights, calls] = &mut times;
        println!("{RECORDS} records a call over PostgreSQL, {disk}, {TURNS} turns, medians:");
        println!("  plain loop, one by one    {:>9.1} µs", micros(one_by_one));
        println!("  plain loop, in flights    {:>9.1} µs", micros(flights));
        println!("  component, guarded        {:>9.1} µs", micros(calls));
        println!("  ratio to the plain loop   {:>9.3}", median(&mut ratios[0]));
        println!("  ratio to that in flights  {:>9.3}", median(&mut ratios[1]));
        if settings.starts_with("-c fsync=off") {
            bench.preview()?;
        }
    }
    Ok(())
}

struct Bench {
    plugin: Plugin,
    postgres: Postgres,
    settings: Settings,
    plain: Plain,
    runtime: Runtime,
    _cluster: Cluster,
}

/// How a loop sends what makes up a transaction.
#[derive(Clone, Copy)]
enum Sends {
    /// Each statement when the one before is answered.
    OneByOne,
    /// All of them at once.
    Flights,
}

/// A connection as anybody has one, with the statements prepared.
struct Plain {
    client: Client,
    /// Numbers in the catalog, as the bridge asks by them.
    table: u32,
    schema: u32,
    settings: Statement,
    version: Statement,
    rights: Statement,
    page: Statement,
    remove: Statement,
}

impl Bench {
    fn new(plugin: Plugin, settings: &str) -> anyhow::Result<Bench> {
        let cluster = Cluster::start(settings)?;
        let address = cluster.address(SUPERUSER, "postgres");
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
        let config = Config::default();
        let plain = runtime.block_on(async {
            let (client, connection) = tokio_postgres::connect(&address, NoTls).await?;
            tokio::spawn(connection);
            client.batch_execute(SCHEMA).await?;
            Plain::new(client).await
        })?;
        let address = Address::parse(&address).map_err(anyhow::Error::msg)?;
        let postgres = runtime.block_on(Postgres::open(&address, &config))?;
        let settings = config.settings(postgres.objects(), None);
        Ok(Bench { plugin, postgres, settings, plain, runtime, _cluster: cluster })
    }

    fn fill(&self) -> anyhow::Result<()> {
        let fill = format!(
            "INSERT INTO task SELECT n, 'Task number ' || n, TRUE, '2026-03-10' FROM generate_series(1, {RECORDS}) AS n; \
             ANALYZE task; SELECT pg_stat_statements_reset()"
        );
        self.runtime.block_on(self.plain.client.batch_execute(&fill)).context("the table is filled")
    }

    fn by_call(&self) -> anyhow::Result<Duration> {
        self.fill()?;
        let mut bridge = self.postgres.bridge(&Caller::new(Some("ana"), false));
        let started = Instant::now();
        let reply =
            self.runtime.block_on(self.plugin.call(&mut bridge, &self.settings, request("delete_records", ARGUMENTS)));
        let time = started.elapsed();
        let Reply::Answered(answer) = reply else { anyhow::bail!("the component asked") };
        check(&answer)?;
        Ok(time)
    }

    fn by_loop(&self, sends: Sends) -> anyhow::Result<Duration> {
        self.fill()?;
        self.runtime.block_on(async {
            let started = Instant::now();
            let deleted = self.plain.delete(sends).await?;
            let time = started.elapsed();
            ensure!(deleted == RECORDS, "the loop removed {deleted}");
            Ok(time)
        })
    }

    /// What the server was asked since the table was filled, and how often.
    fn asked(&self) -> anyhow::Result<BTreeMap<i64, (String, i64)>> {
        let listed = "SELECT queryid, query, calls FROM pg_stat_statements WHERE query !~ 'pg_stat_statements'";
        let rows = self.runtime.block_on(self.plain.client.query(listed, &[]))?;
        rows.iter().map(|row| Ok((row.try_get(0)?, (row.try_get(1)?, row.try_get(2)?)))).collect()
    }

    fn same_statements(&self) -> anyhow::Result<()> {
        // The first call makes ready what later ones find.
        self.by_call()?;
        self.by_call()?;
        let by_call = self.asked()?;
        for sends in [Sends::OneByOne, Sends::Flights] {
            self.by_loop(sends)?;
            let by_loop = self.asked()?;
            // The server's number of a statement is that of its parsed form; the text may show constants or not.
            let times = |asked: &BTreeMap<i64, (String, i64)>| -> Vec<(i64, i64)> {
                asked.iter().map(|(number, (_, times))| (*number, *times)).collect()
            };
            ensure!(times(&by_loop) == times(&by_call), "the loop asked {by_loop:#?} and the call {by_call:#?}");
        }
        Ok(())
    }

    /// A preview of every record of a large table.
    fn preview(&self) -> anyhow::Result<()> {
        let fill =
            format!("INSERT INTO event SELECT n, 'kind ' || n % 7 FROM generate_series(1, {MANY}) AS n; ANALYZE event");
        self.runtime.block_on(self.plain.client.batch_execute(&fill))?;
        let arguments = r#"{"objectName": "event", "where": {"kind": {"$ne": "kind 3"}}}"#;
        let (mut plain, mut preview) = (Vec::new(), Vec::new());
        for _ in 0..PREVIEWS {
            let started = Instant::now();
            self.runtime.block_on(async {
                self.plain
                    .client
                    .query("SELECT count(*) FROM event WHERE kind IS NOT NULL AND NOT (kind = 'kind 3')", &[])
                    .await?;
                let page = "SELECT id::text, xmin::text FROM event WHERE kind <> 'kind 3' ORDER BY id LIMIT 201";
                self.plain.client.query(page, &[]).await
            })?;
            plain.push(started.elapsed());
            let mut bridge = self.postgres.bridge(&Caller::new(Some("ana"), false));
            let started = Instant::now();
            let call = self.plugin.call(&mut bridge, &self.settings, request("delete_records", arguments));
            let Reply::Answered(answer) = self.runtime.block_on(call) else { anyhow::bail!("the component asked") };
            preview.push(started.elapsed());
            ensure!(answer.json.contains(r#""wouldAttempt":200"#), "{}", answer.json);
        }
        println!("a preview of {MANY} records, medians of {PREVIEWS}:");
        println!("  count and one page        {:>9.1} µs", micros(&mut plain));
        println!("  component, guarded        {:>9.1} µs", micros(&mut preview));
        Ok(())
    }
}

impl Plain {
    async fn new(client: Client) -> anyhow::Result<Plain> {
        let prepared = async |text: &str, params: usize| client.prepare_typed(text, &vec![Type::TEXT; params]).await;
        let numbers = client.query_one("SELECT oid, relnamespace FROM pg_class WHERE relname = 'task'", &[]).await?;
        Ok(Plain {
            table: numbers.try_get(0)?,
            schema: numbers.try_get(1)?,
            settings: prepared(include_str!("statements/settings.sql"), SETTINGS.len()).await?,
            version: prepared(include_str!("statements/version.sql"), 0).await?,
            rights: prepared(include_str!("statements/rights.sql"), 2).await?,
            page: prepared(include_str!("statements/page.sql"), 1).await?,
            remove: prepared(include_str!("statements/remove.sql"), 2).await?,
            client,
        })
    }

    async fn delete(&self, sends: Sends) -> anyhow::Result<u32> {
        let read = "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY";
        let (table, schema) = (self.table.to_string(), self.schema.to_string());
        let mut deleted = 0;
        // Who is asking is asked before the records are read, and before they are removed.
        self.transaction(sends, read, Some(&self.version), (&self.rights, &[&table, &schema])).await?;
        let records = self.transaction(sends, read, None, (&self.page, &[&"true"])).await?;
        self.transaction(sends, read, Some(&self.version), (&self.rights, &[&table, &schema])).await?;
        for record in records {
            let (id, revision): (String, String) = (record.try_get(0)?, record.try_get(2)?);
            let gone = self.transaction(sends, "BEGIN", None, (&self.remove, &[&id, &revision])).await?;
            deleted += u32::try_from(gone[0].try_get::<_, i64>(0)?)?;
        }
        Ok(deleted)
    }

    /// `BEGIN` to `COMMIT`; the rows of the last statement.
    async fn transaction(
        &self,
        sends: Sends,
        begin: &str,
        first: Option<&Statement>,
        (last, values): (&Statement, &[&(dyn ToSql + Sync)]),
    ) -> anyhow::Result<Vec<Row>> {
        let settings: Vec<&(dyn ToSql + Sync)> =
            SETTINGS.iter().map(|setting| setting as &(dyn ToSql + Sync)).collect();
        let client = &self.client;
        let first = async {
            match first {
                None => Ok(Vec::new()),
                Some(first) => client.query(first, &[]).await,
            }
        };
        match sends {
            Sends::OneByOne => {
                client.batch_execute(begin).await?;
                client.query(&self.settings, &settings).await?;
                first.await?;
                let rows = client.query(last, values).await?;
                client.batch_execute("COMMIT").await?;
                Ok(rows)
            }
            Sends::Flights => {
                let (begun, set, first, rows, ended) = tokio::join!(
                    biased;
                    client.batch_execute(begin),
                    client.query(&self.settings, &settings),
                    first,
                    client.query(last, values),
                    client.batch_execute("COMMIT"),
                );
                begun?;
                set?;
                first?;
                ended?;
                Ok(rows?)
            }
        }
    }
}
