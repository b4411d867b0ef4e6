//! What a call costs. Over SQLite, what the sandbox does: the same call of 200 records, natively and as the component behind the guard, over the
//! same SQLite database in memory, in turns, so that a busy machine is as busy for both.

mod postgres;

use std::time::{Duration, Instant};

use anyhow::{Context, ensure};
use deletegate::bridge::sqlite::Sqlite;
use deletegate::config::Config;
use deletegate::identity::Caller;
use deletegate::plugin::{BUNDLED, Cancel, Limits, Plugin, Reply, Request};
use deletegate::tools::{Answer, Call, Outcome, Scopes, Settings};
use futures_executor::block_on;
use rusqlite::Connection;

/// Records of one call: the default cap.
const RECORDS: u32 = 200;
/// Pairs of calls; each pair gives one ratio, and the median of them is told.
const PAIRS: usize = 200;
/// Pairs before that, to warm caches up.
const WARM_UP: usize = 20;

const SCHEMA: &str = "CREATE TABLE task (id INTEGER PRIMARY KEY, title TEXT NOT NULL, done BOOLEAN NOT NULL, due DATE);
                      CREATE TABLE note (id INTEGER PRIMARY KEY, task_id INTEGER REFERENCES task (id) ON DELETE CASCADE);
                      CREATE INDEX note_task ON note (task_id);";
const ARGUMENTS: &str = r#"{"objectName": "task", "where": {"done": true}, "confirm": true}"#;

fn main() -> anyhow::Result<()> {
    let started = Instant::now();
    let plugin = Plugin::bundled(Limits::default())?;
    let compiled = started.elapsed();
    let only = std::env::args().nth(1);
    match only.as_deref() {
        None => {
            sqlite(plugin.clone(), compiled)?;
            postgres::run(&plugin)
        }
        Some("sqlite") => sqlite(plugin, compiled),
        Some("postgres") => postgres::run(&plugin),
        Some(other) => anyhow::bail!("`{other}` is no engine: sqlite or postgres, or nothing for both"),
    }
}

fn sqlite(plugin: Plugin, compiled: Duration) -> anyhow::Result<()> {
    let bench = Bench::new(plugin)?;
    let (mut native, mut component, mut ratios) = (Vec::new(), Vec::new(), Vec::new());
    for pair in 0..WARM_UP + PAIRS {
        // Who goes first changes from pair to pair.
        let (n, c) = if pair % 2 == 0 {
            let n = bench.native()?;
            (n, bench.component()?)
        } else {
            let c = bench.component()?;
            (bench.native()?, c)
        };
        if pair >= WARM_UP {
            native.push(n);
            component.push(c);
            ratios.push(c.as_secs_f64() / n.as_secs_f64());
        }
    }
    println!("{RECORDS} records a call over SQLite in memory, {PAIRS} pairs of calls in turns, medians:");
    println!("  native policy             {:>9.1} µs", micros(&mut native));
    println!("  component, guarded        {:>9.1} µs", micros(&mut component));
    println!("  ratio                     {:>9.3}", median(&mut ratios));
    println!("  instance and empty call   {:>9.1} µs", micros(&mut bench.instances()?));
    println!("  compiling the component   {:>9.1} ms, once", compiled.as_secs_f64() * 1e3);
    println!("  size of the component     {:>9} bytes", BUNDLED.len());
    Ok(())
}

struct Bench {
    plugin: Plugin,
    sqlite: Sqlite,
    settings: Settings,
    /// A second connection to the same database, which fills it.
    filler: Connection,
}

impl Bench {
    fn new(plugin: Plugin) -> anyhow::Result<Bench> {
        const NAME: &str = "file:bench?mode=memory&cache=shared";
        let filler = Connection::open(NAME)?;
        filler.execute_batch(SCHEMA)?;
        let config = Config::default();
        let sqlite = Sqlite::from_connection(Connection::open(NAME)?, &config)?;
        let settings = config.settings(sqlite.objects()?, None);
        Ok(Bench { plugin, sqlite, settings, filler })
    }

    fn fill(&self) -> anyhow::Result<()> {
        self.filler.execute(
            "WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ?1)
             INSERT INTO task SELECT i, 'Task number ' || i, 1, '2026-03-10' FROM n",
            [RECORDS],
        )?;
        Ok(())
    }

    fn native(&self) -> anyhow::Result<Duration> {
        self.fill()?;
        let mut bridge = self.sqlite.bridge(&Caller::new(Some("ana"), false));
        let call = Call { tool: "delete_records".into(), arguments: ARGUMENTS.into(), scopes: both(), approval: None };
        let started = Instant::now();
        let outcome = deletegate::native::call(&mut bridge, &self.settings, &call);
        let time = started.elapsed();
        let Outcome::Answered(answer) = outcome else { anyhow::bail!("the policy asked") };
        check(&answer)?;
        Ok(time)
    }

    fn component(&self) -> anyhow::Result<Duration> {
        self.fill()?;
        let mut bridge = self.sqlite.bridge(&Caller::new(Some("ana"), false));
        let request = request("delete_records", ARGUMENTS);
        let started = Instant::now();
        let reply = block_on(self.plugin.call(&mut bridge, &self.settings, request));
        let time = started.elapsed();
        let Reply::Answered(answer) = reply else { anyhow::bail!("the component asked") };
        check(&answer)?;
        Ok(time)
    }

    /// A fresh instance and a call that does nothing: the tool is unknown.
    fn instances(&self) -> anyhow::Result<Vec<Duration>> {
        let mut bridge = self.sqlite.bridge(&Caller::new(Some("ana"), false));
        (0..PAIRS)
            .map(|_| {
                let started = Instant::now();
                let reply = block_on(self.plugin.call(&mut bridge, &self.settings, request("nothing", ARGUMENTS)));
                ensure!(matches!(reply, Reply::UnknownTool), "the tool should be unknown");
                Ok(started.elapsed())
            })
            .collect()
    }
}

fn request(tool: &str, arguments: &str) -> Request {
    Request {
        tool: tool.into(),
        arguments: arguments.into(),
        scopes: both(),
        approval: None,
        cancel: Cancel::default(),
    }
}

fn both() -> Scopes {
    Scopes::DATA_READ | Scopes::DATA_WRITE
}

/// A call that did something else is no measure of this one.
fn check(answer: &Answer) -> anyhow::Result<()> {
    let json: serde_json::Value = serde_json::from_str(&answer.json).context("the answer is JSON")?;
    ensure!(json["deleted"] == RECORDS, "{}", answer.json);
    Ok(())
}

fn micros(times: &mut [Duration]) -> f64 {
    times.sort();
    times[times.len() / 2].as_secs_f64() * 1e6
}

fn median(ratios: &mut [f64]) -> f64 {
    ratios.sort_by(f64::total_cmp);
    ratios[ratios.len() / 2]
}
