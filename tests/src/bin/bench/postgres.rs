//! What a call over PostgreSQL costs beside a plain loop of the same statements in the same flights, over a Unix socket;
//! and what a preview of a large table costs beside its count and one page.
//!
//! That the loop runs the same statements is not taken for granted: the server lists what it was asked, and the two lists
//! must be one.

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

/// Pairs of calls; each pair gives one ratio, and the median of them is told.
const PAIRS: usize = 30;
/// Pairs before that, to warm caches up.
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

const SETTINGS: [(&str, &str); 6] = [
    ("deletegate.settled", "on"),
    ("statement_timeout", "30000"),
    ("lock_timeout", "2000"),
    ("idle_in_transaction_session_timeout", "30000"),
    ("app.actor", "ana"),
    ("client_connection_check_interval", "250"),
];

/// The statement of a page.
const PAGE: &str = "SELECT CAST(\"task\".\"id\" AS pg_catalog.text), left(CAST(\"task\".\"title\" AS pg_catalog.text), 200), \
                    CAST(\"task\".xmin AS pg_catalog.text) FROM ONLY \"public\".\"task\" \
                    WHERE ((\"task\".\"done\" = CAST($1 AS \"pg_catalog\".\"bool\")) AND TRUE) ORDER BY \"task\".\"id\" LIMIT 201";

/// Both measures, with a disk that is waited for, and without.
pub fn run(plugin: &Plugin) -> anyhow::Result<()> {
    for (disk, settings) in
        [("with the disk waited for", ""), ("with fsync=off, so that nothing but work is measured", "-c fsync=off")]
    {
        let settings =
            format!("{settings} -c shared_preload_libraries=pg_stat_statements -c pg_stat_statements.track=top");
        let bench = Bench::new(plugin.clone(), &settings)?;
        bench.same_statements()?;
        let (mut loops, mut calls, mut ratios) = (Vec::new(), Vec::new(), Vec::new());
        for pair in 0..WARM_UP + PAIRS {
            let (l, c) = if pair % 2 == 0 {
                let l = bench.by_loop()?;
                (l, bench.by_call()?)
            } else {
                let c = bench.by_call()?;
                (bench.by_loop()?, c)
            };
            if pair >= WARM_UP {
                loops.push(l);
                calls.push(c);
                ratios.push(c.as_secs_f64() / l.as_secs_f64());
            }
        }
        println!("{RECORDS} records a call over PostgreSQL, {disk}, {PAIRS} pairs of calls in turns, medians:");
        println!("  plain loop                {:>9.1} µs", micros(&mut loops));
        println!("  component, guarded        {:>9.1} µs", micros(&mut calls));
        println!("  ratio                     {:>9.3}", median(&mut ratios));
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

/// A connection as anybody has one, with the statements prepared.
struct Plain {
    client: Client,
    settings: Statement,
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

    fn by_loop(&self) -> anyhow::Result<Duration> {
        self.fill()?;
        self.runtime.block_on(async {
            let started = Instant::now();
            let deleted = self.plain.delete().await?;
            let time = started.elapsed();
            ensure!(deleted == RECORDS, "the loop removed {deleted}");
            Ok(time)
        })
    }

    /// What the server was asked since the table was filled, but for what the bridge asks of the caller's rights and of the
    /// tables: a loop that knows its table does not.
    fn asked(&self) -> anyhow::Result<BTreeMap<i64, String>> {
        let listed = "SELECT queryid, query FROM pg_stat_statements \
                      WHERE query !~ 'pg_stat_statements|has_schema_privilege|pg_attribute'";
        let rows = self.runtime.block_on(self.plain.client.query(listed, &[]))?;
        rows.iter().map(|row| Ok((row.try_get(0)?, row.try_get(1)?))).collect()
    }

    fn same_statements(&self) -> anyhow::Result<()> {
        self.by_loop()?;
        let by_loop = self.asked()?;
        self.by_call()?;
        let by_call = self.asked()?;
        // The server's number of a statement is that of its parsed form; the text may show constants or not.
        ensure!(by_loop.keys().eq(by_call.keys()), "the loop asked {by_loop:#?} and the call {by_call:#?}");
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
        let text = |count: usize| vec![Type::TEXT; count];
        let places: Vec<String> = (0..SETTINGS.len())
            .map(|at| format!("pg_catalog.set_config(${}, ${}, TRUE)", at * 2 + 1, at * 2 + 2))
            .collect();
        let settings =
            client.prepare_typed(&format!("SELECT {}", places.join(", ")), &text(SETTINGS.len() * 2)).await?;
        let remove = "WITH gone AS (DELETE FROM ONLY \"public\".\"task\" WHERE ((((\"task\".\"id\" = CAST($1 AS pg_catalog.int8)) AND TRUE) \
                      AND TRUE AND (CAST(\"task\".xmin AS pg_catalog.text) = $2)) AND pg_catalog.current_setting('deletegate.settled', TRUE) IS NOT DISTINCT FROM 'on') RETURNING 1 AS one) \
                      SELECT pg_catalog.count(*), (SELECT one FROM gone) FROM gone";
        let remove = client.prepare_typed(remove, &text(2)).await?;
        let page = client.prepare_typed(PAGE, &text(1)).await?;
        Ok(Plain { settings, page, remove, client })
    }

    async fn delete(&self) -> anyhow::Result<u32> {
        let read = "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY";
        let mut deleted = 0;
        for record in self.flight(read, &self.page, &[&"true"]).await? {
            let (id, revision): (String, String) = (record.try_get(0)?, record.try_get(2)?);
            let gone = self.flight("BEGIN", &self.remove, &[&id, &revision]).await?;
            deleted += u32::try_from(gone[0].try_get::<_, i64>(0)?)?;
        }
        Ok(deleted)
    }

    /// `BEGIN` to `COMMIT` at once.
    async fn flight(
        &self,
        begin: &str,
        statement: &Statement,
        values: &[&(dyn ToSql + Sync)],
    ) -> anyhow::Result<Vec<Row>> {
        let settings: Vec<&(dyn ToSql + Sync)> = SETTINGS
            .iter()
            .flat_map(|(name, value)| [name as &(dyn ToSql + Sync), value as &(dyn ToSql + Sync)])
            .collect();
        let (begun, set, rows, ended) = tokio::join!(
            biased;
            self.client.batch_execute(begin),
            self.client.query(&self.settings, &settings),
            self.client.query(statement, values),
            self.client.batch_execute("COMMIT"),
        );
        begun?;
        set?;
        ended?;
        Ok(rows?)
    }
}
