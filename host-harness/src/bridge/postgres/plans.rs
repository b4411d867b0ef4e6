//! Tests of how PostgreSQL runs the statements: what has an index can use it, whatever is asked beside.

use super::cluster::{Cluster, SUPERUSER};
use super::connection::{Lease, Time};
use super::remove::Aim;
use super::rights::Rights;
use super::schema::Schema;
use super::sql::Statement;
use super::{Postgres, PostgresBridge, read};
use crate::bridge::{Comparison, Condition, FilterTerm, Instant, RecordId, Scalar, Selection};
use crate::config::{Address, Config};
use crate::identity::Caller;

/// A plan of a few rows is a scan whatever the statement, so scans are switched off for whoever connects: one that is left
/// is there because no index can serve the statement.
const TABLES: &str = "
    ALTER ROLE postgres SET enable_seqscan = off;
    ALTER ROLE postgres SET enable_bitmapscan = off;
    CREATE TYPE mood AS ENUM ('low', 'high');
    CREATE COLLATION folded (provider = icu, locale = 'und-u-ks-level2', deterministic = false);
    CREATE TABLE number (id bigint PRIMARY KEY, status text, folded text COLLATE folded, at timestamptz, price numeric, mood mood);
    CREATE INDEX by_status ON number (status);
    CREATE INDEX by_folded ON number (folded);
    CREATE INDEX by_at ON number (at);
    CREATE INDEX by_price ON number (price);
    CREATE INDEX by_mood ON number (mood);
    CREATE TABLE name (id text PRIMARY KEY);
    CREATE TABLE folded (id text COLLATE folded PRIMARY KEY);
    CREATE TABLE device (id uuid PRIMARY KEY);
    CREATE TABLE tick (at timestamptz PRIMARY KEY);
    CREATE TABLE price (id numeric PRIMARY KEY);
    CREATE TABLE feeling (mood mood PRIMARY KEY);
    CREATE TABLE pair (a text, b integer, PRIMARY KEY (a, b));
    CREATE TABLE marked (id bigint PRIMARY KEY, deleted_at timestamptz);";

/// The configuration's conditions stand beside every other one, and must not be in an index's way.
const CONFIGURATION: &str = "
    [objects.number]
    visible = \"status IS DISTINCT FROM :actor\"
    removable = \"status IS DISTINCT FROM :actor\"
    [objects.marked]
    soft-delete = \"deleted_at\"";

struct Server {
    runtime: tokio::runtime::Runtime,
    postgres: Postgres,
    bridge: PostgresBridge,
    lease: Lease,
    _cluster: Cluster,
}

impl Server {
    fn start() -> Server {
        let cluster = Cluster::start("-c fsync=off").unwrap();
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        let address = Address::parse(&cluster.address(SUPERUSER, "postgres")).unwrap();
        let (postgres, bridge, lease) = runtime.block_on(async {
            let (client, connection) = address.parameters().connect(tokio_postgres::NoTls).await.unwrap();
            tokio::spawn(connection);
            client.batch_execute(TABLES).await.unwrap();
            let config = Config::parse(CONFIGURATION, std::path::Path::new("")).unwrap();
            let postgres = Postgres::open(&address, &config).await.unwrap();
            let bridge = postgres.bridge(&Caller::new(Some("ana"), false));
            let lease = postgres.shared.source.first().await.unwrap();
            (postgres, bridge, lease)
        });
        Server { runtime, postgres, bridge, lease, _cluster: cluster }
    }

    /// What the server says of a statement, line by line.
    fn plan(&self, statement: &Statement) -> String {
        let explained = format!("EXPLAIN (COSTS off) {}", statement.text);
        let typed: Vec<_> = statement.params.values().into_iter().zip(statement.params.types()).collect();
        let rows = self.runtime.block_on(self.lease.client().query_typed(&explained, &typed)).unwrap();
        rows.iter().map(|row| row.get::<_, String>(0)).collect::<Vec<_>>().join("\n")
    }

    fn rights(&mut self, object: &str) -> (std::sync::Arc<Schema>, Rights) {
        let time = Time::begin(None, &Config::default().postgres).unwrap();
        self.runtime.block_on(self.bridge.resolve(&mut self.lease, &time, object)).unwrap().unwrap()
    }

    fn page(&mut self, object: &str, selection: &Selection, after: Option<&[Scalar]>) -> String {
        let (schema, rights) = self.rights(object);
        let table = read::object(&schema, object).unwrap();
        let caller = Caller::new(Some("ana"), false);
        self.plan(&read::page(table, &caller, &rights, selection, after, 5).unwrap())
    }

    fn removed(&mut self, object: &str, id: &RecordId) -> String {
        let (schema, rights) = self.rights(object);
        let table = read::object(&schema, object).unwrap();
        let caller = Caller::new(Some("ana"), false);
        let aim = Aim { table, caller: &caller, rights: &rights, id, revision: Some("1") };
        self.plan(&aim.at(&mut None).unwrap().delete)
    }
}

fn text(text: &str) -> Scalar {
    Scalar::Text(text.to_owned())
}

const UUID: &str = "0b6dd3e4-3f1c-4d3e-9a51-6f0b8f4a2c11";
const AT: Scalar = Scalar::Instant(Instant { seconds: 0, nanoseconds: 0 });

/// Each table with two ids in the order of its key.
fn keyed() -> Vec<(&'static str, RecordId, RecordId)> {
    let decimal = |digits: &str| Scalar::Decimal(digits.to_owned());
    let later = Scalar::Instant(Instant { seconds: 1, nanoseconds: 0 });
    vec![
        ("number", vec![Scalar::Integer(1)], vec![Scalar::Integer(2)]),
        ("name", vec![text("a")], vec![text("b")]),
        ("folded", vec![text("a")], vec![text("b")]),
        ("device", vec![text(UUID)], vec![text("1b6dd3e4-3f1c-4d3e-9a51-6f0b8f4a2c11")]),
        ("tick", vec![AT], vec![later]),
        ("price", vec![decimal("1.5")], vec![decimal("2.5")]),
        ("feeling", vec![text("low")], vec![text("high")]),
        ("pair", vec![text("a"), Scalar::Integer(1)], vec![text("a"), Scalar::Integer(2)]),
        ("marked", vec![Scalar::Integer(1)], vec![Scalar::Integer(2)]),
    ]
}

#[test]
fn records_are_found_by_their_keys_and_pages_need_no_sorting() {
    let mut server = Server::start();
    let objects = server.postgres.objects();
    assert_eq!(objects.len(), keyed().len(), "{objects:?}");
    for (object, id, next) in keyed() {
        let found = |plan: &str| plan.contains("Index Cond: ") && !plan.contains("Seq Scan");
        let plan = server.removed(object, &id);
        assert!(found(&plan), "{object}: {plan}");
        let plan = server.page(object, &Selection::Ids(vec![id.clone(), next]), None);
        assert!(found(&plan), "{object}: {plan}");
        let [first, behind] = [None, Some(id.as_slice())].map(|after| {
            let plan = server.page(object, &Selection::Every, after);
            assert!(!plan.contains("Sort") && !plan.contains("Seq Scan"), "{object}: {plan}");
            plan.lines().find(|line| line.contains("Index Cond: ")).map(str::to_owned)
        });
        assert!(behind.is_some() && behind != first, "{object}: {behind:?}");
    }
}

#[test]
fn filters_use_the_columns_indexes() {
    let term = |field: &str, comparison: Comparison, operands: Vec<Scalar>| {
        FilterTerm::Condition(Condition { field: field.to_owned(), comparison, operands })
    };
    let mut server = Server::start();
    for (term, index) in [
        (term("status", Comparison::Equal, vec![text("open")]), "by_status"),
        (term("status", Comparison::AnyOf, vec![text("open"), text("new")]), "by_status"),
        (term("folded", Comparison::Equal, vec![text("open")]), "by_folded"),
        (term("folded", Comparison::AnyOf, vec![text("open"), text("new")]), "by_folded"),
        (term("at", Comparison::Less, vec![AT]), "by_at"),
        (term("at", Comparison::Equal, vec![AT]), "by_at"),
        (term("price", Comparison::Equal, vec![Scalar::Decimal("1.5".to_owned())]), "by_price"),
        (term("price", Comparison::GreaterOrEqual, vec![Scalar::Decimal("1.5".to_owned())]), "by_price"),
        (term("mood", Comparison::Equal, vec![text("low")]), "by_mood"),
        (term("mood", Comparison::AnyOf, vec![text("low"), text("high")]), "by_mood"),
    ] {
        let plan = {
            // Without the page's order, which its own index may serve as well.
            let (schema, _) = server.rights("number");
            let table = read::object(&schema, "number").unwrap();
            let selection = Selection::Filter(vec![term]);
            server.plan(&read::count(table, &Caller::new(Some("ana"), false), &selection).unwrap())
        };
        assert!(plan.contains(&format!("using {index} on number")) && plan.contains("Index Cond: "), "{index}: {plan}");
    }
}
