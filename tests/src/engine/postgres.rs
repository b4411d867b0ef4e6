//! PostgreSQL: the fixture's tables in a database of a server that the tests start, its tests as row security, its locks as
//! triggers, what it denies as privileges.
//!
//! The host logs in as one role, and each transaction runs as another, for users or for the system; the tables belong to a
//! third. Databases are used again, each by one case at a time.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::sync::{Mutex, OnceLock, PoisonError};

use anyhow::{Context, bail, ensure};
use async_trait::async_trait;
use deletegate::bridge::memory::{Change, Counts, Object, RefusalText, Row, Tables, Test, Value, Verb, Verdict};
use deletegate::bridge::postgres::cluster::{Cluster, SUPERUSER};
use deletegate::bridge::postgres::{Postgres, PostgresBridge};
use deletegate::bridge::{Bridge, Effect, Failure, FieldType, Page, Principal, Removal, Scalar, Selection, Totals};
use deletegate::config::{Address, Config, ObjectConfig, PostgresConfig};
use serde_json::{Map, Value as Json};
use tokio::runtime::Runtime;
use tokio_postgres::{Client, NoTls, SimpleQueryMessage};

use super::Engine;
use crate::case::Caller;

/// The role that the host logs in as.
const LOGIN: &str = "host";
/// The role of users.
const USER: &str = "app_user";
/// The role of the system.
const SYSTEM: &str = "app_system";

/// What says that a record of an object that can be restored is gone.
const MARK: &str = "deleted at";

pub(super) struct InServer {
    postgres: Postgres,
    /// Somebody else's connection, past every rule; given back at the end.
    home: Option<Home>,
    tables: Tables,
}

/// A database, and a connection of its owner's.
struct Home {
    name: String,
    owner: Client,
}

/// The server of this process.
struct Server {
    runtime: Runtime,
    cluster: Cluster,
    /// Databases that nobody uses.
    free: Mutex<Vec<Home>>,
    made: Mutex<u32>,
}

/// The server ends with this process, however that ends.
fn server() -> anyhow::Result<&'static Server> {
    static SERVER: OnceLock<Result<Server, String>> = OnceLock::new();
    SERVER
        .get_or_init(|| Server::start().map_err(|error| format!("{error:#}")))
        .as_ref()
        .map_err(|said| anyhow::anyhow!("{said}"))
}

impl Server {
    fn start() -> anyhow::Result<Server> {
        // Nothing here outlives the tests, so nothing is gained by waiting for the disk.
        let cluster =
            Cluster::start("-c fsync=off -c synchronous_commit=off -c full_page_writes=off -c max_connections=200")?;
        let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build()?;
        let server = Server { runtime, cluster, free: Mutex::default(), made: Mutex::default() };
        let admin = server.connect("postgres")?;
        server.runtime.block_on(admin.batch_execute(&format!(
            "CREATE ROLE {USER}; CREATE ROLE {SYSTEM}; CREATE ROLE {LOGIN} LOGIN IN ROLE {USER}, {SYSTEM};"
        )))?;
        Ok(server)
    }

    fn connect(&self, database: &str) -> anyhow::Result<Client> {
        let address = self.cluster.address(SUPERUSER, database);
        let (client, connection) = self.runtime.block_on(tokio_postgres::connect(&address, NoTls))?;
        self.runtime.spawn(connection);
        Ok(client)
    }

    /// An empty database.
    fn home(&self) -> anyhow::Result<Home> {
        if let Some(home) = locked(&self.free).pop() {
            let empty = "DROP SCHEMA public CASCADE; CREATE SCHEMA public;";
            self.runtime.block_on(home.owner.batch_execute(empty))?;
            return Ok(home);
        }
        let mut made = locked(&self.made);
        *made += 1;
        let name = format!("case_{made}");
        let admin = self.connect("postgres")?;
        self.runtime.block_on(admin.batch_execute(&format!("CREATE DATABASE {name}")))?;
        Ok(Home { owner: self.connect(&name)?, name })
    }
}

fn locked<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl InServer {
    pub(super) fn new(tables: &Tables) -> anyhow::Result<Self> {
        can_have(tables)?;
        let server = server()?;
        let home = server.home()?;
        let made = server.runtime.block_on(home.owner.batch_execute(&script(tables)?)).context("the fixture");
        let engine = |home: &Home| -> anyhow::Result<Postgres> {
            let address = Address::parse(&server.cluster.address(LOGIN, &home.name)).map_err(anyhow::Error::msg)?;
            Ok(server.runtime.block_on(Postgres::open(&address, &config(tables)))?)
        };
        match made.and_then(|()| engine(&home)) {
            Ok(postgres) => Ok(InServer { postgres, home: Some(home), tables: tables.clone() }),
            Err(error) => {
                locked(&server.free).push(home);
                Err(error)
            }
        }
    }

    fn owner(&self) -> &Client {
        &self.home.as_ref().expect("an engine has its database until it is dropped").owner
    }
}

impl Drop for InServer {
    fn drop(&mut self) {
        if let (Ok(server), Some(home)) = (server(), self.home.take()) {
            locked(&server.free).push(home);
        }
    }
}

/// What PostgreSQL can't do with any table; single cases that it can't show stand in `differences.json`.
fn can_have(tables: &Tables) -> anyhow::Result<()> {
    ensure!(tables.page.is_none(), "PostgreSQL has no pages of its own");
    ensure!(tables.counts == Counts::Exact, "PostgreSQL counts to the end");
    ensure!(!tables.dependents_unknown, "PostgreSQL can tell what depends on a record");
    ensure!(tables.narrowing.is_none(), "PostgreSQL has no delegated callers");
    Ok(())
}

fn config(tables: &Tables) -> Config {
    let mut config = Config {
        postgres: PostgresConfig {
            role: Some(USER.to_owned()),
            system_role: Some(SYSTEM.to_owned()),
            pool_size: 2,
            ..PostgresConfig::default()
        },
        ..Config::default()
    };
    for (name, object) in &tables.objects {
        if object.hidden {
            config.system_objects.push(name.clone());
            continue;
        }
        // Where a trigger judges too, the database can't tell who kept a record, so the configuration says it first.
        let removable = (!object.locks.is_empty()).then(|| condition(&object.removable, ":actor")).flatten();
        let rule = ObjectConfig {
            label: object.label.clone(),
            removable,
            soft_delete: object.reversible.then(|| MARK.to_owned()),
            ..ObjectConfig::default()
        };
        config.objects.insert(name.clone(), rule);
    }
    config
}

/// Everything that makes the fixture.
fn script(tables: &Tables) -> anyhow::Result<String> {
    let mut sql = format!("GRANT USAGE ON SCHEMA public TO {USER}, {SYSTEM};\n");
    for (name, object) in &tables.objects {
        writeln!(sql, "{}", create(name, object))?;
        for row in &object.rows {
            writeln!(sql, "{}", insert(name, row)?)?;
        }
    }
    for (name, object) in &tables.objects {
        sql.push_str(&references(name, object, tables)?);
        sql.push_str(&privileges(name, object, tables.revisions != Some(false))?);
        sql.push_str(&trigger(name, object)?);
    }
    Ok(sql)
}

fn create(name: &str, object: &Object) -> String {
    let mut parts = Vec::new();
    for field in &object.fields {
        let null = if field.nullable { "" } else { " NOT NULL" };
        parts.push(format!("{} {}{null}", quoted(&field.name), declared(field.kind)));
    }
    if object.reversible {
        parts.push(format!("{} timestamptz", quoted(MARK)));
    }
    parts.push(format!("PRIMARY KEY ({})", columns(&object.key)));
    format!("CREATE TABLE {} ({});", quoted(name), parts.join(", "))
}

fn declared(kind: FieldType) -> &'static str {
    match kind {
        FieldType::Boolean => "boolean",
        FieldType::Integer => "bigint",
        FieldType::Decimal => "numeric",
        FieldType::Float => "double precision",
        FieldType::Text => "text",
        FieldType::Uuid => "uuid",
        FieldType::Date => "date",
        FieldType::Instant => "timestamptz",
        FieldType::TextList => "text[]",
        FieldType::Opaque => "bytea",
    }
}

fn references(name: &str, object: &Object, tables: &Tables) -> anyhow::Result<String> {
    let mut sql = String::new();
    for reference in &object.references {
        let parent = tables.objects.get(&reference.object).context("a foreign key to nothing")?;
        let effect = match reference.on_delete {
            Effect::Cascade => "CASCADE",
            Effect::Restrict => "RESTRICT",
            Effect::Detach => "SET NULL",
        };
        // What stands there already may point at nothing, as over memory.
        writeln!(
            sql,
            "ALTER TABLE {} ADD FOREIGN KEY ({}) REFERENCES {} ({}) ON DELETE {effect} NOT VALID;",
            quoted(name),
            columns(&reference.fields),
            quoted(&reference.object),
            columns(&parent.key)
        )?;
    }
    Ok(sql)
}

/// Who may do what, and with which rows.
fn privileges(name: &str, object: &Object, versions: bool) -> anyhow::Result<String> {
    let table = quoted(name);
    let mut sql = String::new();
    let readable: Vec<String> =
        object.fields.iter().filter(|field| !field.withheld).map(|field| field.name.clone()).collect();
    let select = match versions && readable.len() == object.fields.len() {
        true => "SELECT".to_owned(),
        // Rights on single columns don't reach the number that tells that a row has changed.
        false => format!("SELECT ({})", columns(&readable)),
    };
    let mut rights = vec![select];
    if object.reversible {
        rights.push(format!("UPDATE ({}), SELECT ({})", quoted(MARK), quoted(MARK)));
    } else if !object.denied.contains(&Verb::Remove) {
        rights.push("DELETE".to_owned());
    }
    writeln!(sql, "GRANT {} ON {table} TO {USER}, {SYSTEM};", rights.join(", "))?;
    let by_trigger = !object.locks.is_empty();
    let actor = "current_setting('app.actor')";
    let visible = condition(&object.visible, actor);
    let removable = condition(&object.removable, actor).filter(|_| !by_trigger);
    if visible.is_some() || removable.is_some() {
        let (visible, removable) = (visible.unwrap_or("TRUE".to_owned()), removable.unwrap_or("TRUE".to_owned()));
        writeln!(
            sql,
            "ALTER TABLE {table} ENABLE ROW LEVEL SECURITY;
             CREATE POLICY sees ON {table} FOR SELECT TO {USER} USING ({visible});
             CREATE POLICY removes ON {table} FOR DELETE TO {USER} USING ({removable});
             CREATE POLICY all_of_it ON {table} TO {SYSTEM} USING (TRUE);"
        )?;
    }
    Ok(sql)
}

/// One trigger for all rules, in their order.
fn trigger(name: &str, object: &Object) -> anyhow::Result<String> {
    let mut rules = String::new();
    for lock in &object.locks {
        let says = match &lock.answer {
            Verdict::Kept => "RETURN NULL".to_owned(),
            Verdict::Refused(RefusalText { code, status, reason, retryable: false }) => {
                format!("RAISE EXCEPTION '%', {}", text(&format!("{code} {status}: {reason}")))
            }
            other => bail!("no trigger of PostgreSQL answers {other:?}"),
        };
        let values = lock.values.iter().map(literal).collect::<anyhow::Result<Vec<_>>>()?.join(", ");
        write!(rules, "IF OLD.{} IN ({values}) THEN {says}; END IF; ", quoted(&lock.field))?;
    }
    if rules.is_empty() {
        return Ok(String::new());
    }
    let (function, table) = (quoted(&format!("rules of {name}")), quoted(name));
    Ok(format!(
        "CREATE FUNCTION {function}() RETURNS trigger LANGUAGE plpgsql AS $rules$ BEGIN {rules} RETURN OLD; END $rules$;
         CREATE TRIGGER rules BEFORE DELETE ON {table} FOR EACH ROW EXECUTE FUNCTION {function}();\n"
    ))
}

/// The tests as one condition; none where there is none.
fn condition(tests: &[Test], actor: &str) -> Option<String> {
    let value = |value: &Value| match value {
        Value::Text(text) if text == ":actor" => actor.to_owned(),
        // A fixture's tests are over texts, numbers and booleans.
        other => literal(other).expect("a test is over plain values"),
    };
    let test = |test: &Test| match test {
        Test::Field { field, values } => {
            format!("{} IN ({})", quoted(field), values.iter().map(value).collect::<Vec<_>>().join(", "))
        }
        Test::Actor { actors } => {
            format!("{actor} IN ({})", actors.iter().map(|id| text(id)).collect::<Vec<_>>().join(", "))
        }
    };
    (!tests.is_empty()).then(|| tests.iter().map(test).collect::<Vec<_>>().join(" OR "))
}

fn insert(table: &str, row: &Row) -> anyhow::Result<String> {
    let names: Vec<String> = row.keys().cloned().collect();
    let values = row.values().map(literal).collect::<anyhow::Result<Vec<_>>>()?;
    Ok(format!("INSERT INTO {} ({}) VALUES ({});", quoted(table), columns(&names), values.join(", ")))
}

/// A value as SQL writes it. A text takes the type of its column.
fn literal(value: &Value) -> anyhow::Result<String> {
    Ok(match value {
        Value::Null => "NULL".to_owned(),
        Value::Boolean(value) => value.to_string(),
        Value::Integer(value) => format!("'{value}'"),
        Value::Float(value) => format!("'{value}'"),
        Value::Text(value) => text(value),
        Value::List(entries) => {
            format!("ARRAY[{}]::text[]", entries.iter().map(|entry| text(entry)).collect::<Vec<_>>().join(", "))
        }
    })
}

fn columns(names: &[String]) -> String {
    names.iter().map(|name| quoted(name)).collect::<Vec<_>>().join(", ")
}

fn quoted(name: &str) -> String {
    format!("\"{}\"", name.replace('"', "\"\""))
}

fn text(text: &str) -> String {
    format!("'{}'", text.replace('\'', "''"))
}

impl Engine for InServer {
    fn bridge(&self, caller: &Caller) -> Box<dyn Bridge> {
        let caller = deletegate::identity::Caller::new(caller.actor.as_deref(), caller.system);
        Box::new(Waiting(self.postgres.bridge(&caller)))
    }

    fn apply(&self, change: &Change) -> anyhow::Result<()> {
        let equal = |row: &Row, join: &str| -> anyhow::Result<String> {
            let parts = row.iter().map(|(name, value)| Ok(format!("{} = {}", quoted(name), literal(value)?)));
            Ok(parts.collect::<anyhow::Result<Vec<_>>>()?.join(join))
        };
        let sql = match change {
            Change::Insert { object, row } => insert(object, row)?,
            Change::Update { object, key, set } => {
                format!("UPDATE {} SET {} WHERE {}", quoted(object), equal(set, ", ")?, equal(key, " AND ")?)
            }
            Change::Delete { object, key } => format!("DELETE FROM {} WHERE {}", quoted(object), equal(key, " AND ")?),
        };
        // Past every rule: as a replica applies what was judged elsewhere.
        let sql = format!("SET session_replication_role = replica; {sql}; SET session_replication_role = DEFAULT");
        let answers = server()?.runtime.block_on(self.owner().simple_query(&sql))?;
        let changed = answers.iter().filter_map(|answer| match answer {
            SimpleQueryMessage::CommandComplete(rows) => Some(*rows),
            _ => None,
        });
        let changed: u64 = changed.sum();
        ensure!(changed == 1, "{change:?} reached {changed} records");
        Ok(())
    }

    fn left(&self) -> anyhow::Result<BTreeMap<String, Json>> {
        self.tables.objects.iter().map(|(name, object)| Ok((name.clone(), self.ids(name, object)?))).collect()
    }
}

impl InServer {
    /// The ids in the order of the key, of what is not marked as gone.
    fn ids(&self, name: &str, object: &Object) -> anyhow::Result<Json> {
        let key = columns(&object.key);
        let there = if object.reversible { format!("{} IS NULL", quoted(MARK)) } else { "TRUE".to_owned() };
        let sql = format!("SELECT {key} FROM {} WHERE {there} ORDER BY {key}", quoted(name));
        let mut ids = Vec::new();
        for answer in server()?.runtime.block_on(self.owner().simple_query(&sql))? {
            let SimpleQueryMessage::Row(row) = answer else { continue };
            let parts: Map<String, Json> =
                object.key.iter().enumerate().map(|(at, part)| (part.clone(), row.get(at).into())).collect();
            ids.push(match (object.key.len(), parts.values().next()) {
                (1, Some(only)) => only.clone(),
                _ => Json::Object(parts),
            });
        }
        Ok(Json::Array(ids))
    }
}

/// A bridge that waits on the server's runtime, wherever it is called: the policy runs on the test's own thread.
struct Waiting(PostgresBridge);

fn wait<T>(work: impl Future<Output = Result<T, Failure>>) -> Result<T, Failure> {
    server().expect("the server was started for the engine").runtime.block_on(work)
}

#[async_trait]
impl Bridge for Waiting {
    async fn resolve_principal(&mut self, object: &str) -> Result<Principal, Failure> {
        wait(self.0.resolve_principal(object))
    }

    async fn query(
        &mut self,
        object: &str,
        selection: &Selection,
        after: Option<&[Scalar]>,
        limit: u32,
    ) -> Result<Page, Failure> {
        wait(self.0.query(object, selection, after, limit))
    }

    async fn aggregate(&mut self, object: &str, selection: &Selection) -> Result<Totals, Failure> {
        wait(self.0.aggregate(object, selection))
    }

    async fn remove(&mut self, object: &str, id: &[Scalar], revision: Option<&str>) -> Result<Removal, Failure> {
        wait(self.0.remove(object, id, revision))
    }
}
