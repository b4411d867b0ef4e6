//! A test of what no caller can bring about: a transaction that does not begin.

use super::caller::Settings;
use super::cluster::{Cluster, SUPERUSER};
use super::connection::{Time, Trouble, WRITE};
use super::remove::Aim;
use super::rights::Rights;
use super::{Postgres, read};
use crate::bridge::Scalar;
use crate::config::{Address, Config};
use crate::identity::Caller;

/// Everything behind a `BEGIN` that failed would run as the connection's own role, which is the owner's here: row security
/// would not judge it.
#[test]
fn what_follows_a_transaction_that_did_not_begin_removes_nothing() {
    let cluster = Cluster::start("-c fsync=off").unwrap();
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    runtime.block_on(async {
        let address = Address::parse(&cluster.address(SUPERUSER, "postgres")).unwrap();
        let (client, connection) = address.parameters().connect(tokio_postgres::NoTls).await.unwrap();
        tokio::spawn(connection);
        let tables = "CREATE ROLE member; CREATE TABLE t (id integer PRIMARY KEY, owner text); INSERT INTO t VALUES (1, 'bo'), (2, 'ana');
            GRANT SELECT, DELETE ON t TO member; ALTER TABLE t ENABLE ROW LEVEL SECURITY;
            CREATE POLICY own ON t USING (owner = current_setting('app.actor'));";
        client.batch_execute(tables).await.unwrap();
        let mut config = Config::default();
        config.postgres.role = Some("member".to_owned());
        let postgres = Postgres::open(&address, &config).await.unwrap();
        let time = Time::begin(None, &config.postgres).unwrap();
        let mut lease = postgres.shared.source.lease(&time).await.unwrap();
        let ana = Caller::new(Some("ana"), false);
        let mut bridge = postgres.bridge(&ana);
        let (schema, rights): (_, Rights) = bridge.resolve(&mut lease, &time, "t").await.unwrap().unwrap();
        let table = read::object(&schema, "t").unwrap();
        let mut settings = Settings::new(&ana, &config.postgres, postgres.shared.server).unwrap();
        let mut removals = None;
        for (begin, left) in [("BEGIN NONSENSE", 2), (WRITE, 1)] {
            for id in [1, 2] {
                let id = [Scalar::Integer(id)];
                let aim = Aim { table, caller: &ana, rights: &rights, id: &id, revision: None };
                let delete = &mut aim.at(&mut removals).unwrap().delete;
                let answer = lease.once(begin, settings.within(&time), None, delete).await;
                assert_eq!(matches!(answer, Err(Trouble::Settings(_))), begin != WRITE);
            }
            let row = client.query_one("SELECT count(*) FROM t", &[]).await.unwrap();
            assert_eq!(row.get::<_, i64>(0), left, "{begin}");
        }
    });
}
