//! A server that is known by its certificate, or not spoken to.

use std::path::Path;
use std::process::Command;

use deletegate::bridge::postgres::cluster::Cluster;
use deletegate::bridge::postgres::{OpenError, Postgres};
use deletegate::bridge::{Bridge, Selection};
use deletegate::config::{Address, Config};
use deletegate::identity::Caller;

use crate::support::wait;

/// A loopback address that no other server listens on.
const HOST: &str = "127.0.0.77";

fn openssl(folder: &Path, args: &[&str]) {
    let output =
        Command::new("openssl").args(args).current_dir(folder).output().expect("openssl makes the certificates");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
}

fn open(address: &str, root: Option<&Path>) -> Result<Postgres, OpenError> {
    let mut config = Config::default();
    config.postgres.tls_root = root.map(Path::to_owned);
    wait(Postgres::open(&Address::parse(address).unwrap(), &config))
}

#[test]
fn a_servers_certificate_is_verified() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    openssl(
        at,
        &[
            "req",
            "-x509",
            "-newkey",
            "rsa:2048",
            "-nodes",
            "-subj",
            "/CN=Test authority",
            "-keyout",
            "ca.key",
            "-out",
            "ca.pem",
            "-addext",
            "basicConstraints=critical,CA:TRUE",
        ],
    );
    openssl(
        at,
        &["req", "-newkey", "rsa:2048", "-nodes", "-subj", "/CN=db", "-keyout", "server.key", "-out", "server.csr"],
    );
    std::fs::write(at.join("names"), format!("subjectAltName = IP:{HOST}")).unwrap();
    openssl(
        at,
        &[
            "x509",
            "-req",
            "-in",
            "server.csr",
            "-CA",
            "ca.pem",
            "-CAkey",
            "ca.key",
            "-CAcreateserial",
            "-out",
            "server.pem",
            "-extfile",
            "names",
        ],
    );
    let cluster = Cluster::start(&format!("-c fsync=off -c listen_addresses={HOST},127.0.0.78")).unwrap();
    let data = cluster.folder().join("data");
    for (from, to) in [("server.pem", "server.crt"), ("server.key", "server.key")] {
        // The server wants a key that nobody else can read.
        let owner = std::fs::metadata(&data).map(|data| std::os::unix::fs::MetadataExt::uid(&data)).unwrap();
        let mode = |path: &Path| std::fs::set_permissions(path, std::os::unix::fs::PermissionsExt::from_mode(0o600));
        std::fs::copy(at.join(from), data.join(to)).unwrap();
        mode(&data.join(to)).unwrap();
        std::os::unix::fs::chown(data.join(to), Some(owner), None).unwrap();
    }
    std::fs::write(data.join("pg_hba.conf"), "local all all trust\nhostssl all all 127.0.0.0/8 trust\n").unwrap();
    let (client, connection) =
        wait(tokio_postgres::connect(&cluster.address("postgres", "postgres"), tokio_postgres::NoTls)).unwrap();
    wait(async {
        tokio::spawn(connection);
        client.batch_execute("CREATE TABLE t (id integer PRIMARY KEY)").await.unwrap();
        client.batch_execute("ALTER SYSTEM SET ssl = on").await.unwrap();
        client.batch_execute("SELECT pg_reload_conf()").await.unwrap();
    });
    let address = |host: &str, mode: &str| format!("postgres://postgres@{host}/postgres?sslmode={mode}");
    let root = at.join("ca.pem");
    // The server takes a moment to read its settings again.
    let mut opened = open(&address(HOST, "verify-full"), Some(&root));
    for _ in 0..200 {
        if opened.is_ok() {
            break;
        }
        std::thread::sleep(std::time::Duration::from_millis(20));
        opened = open(&address(HOST, "verify-full"), Some(&root));
    }
    let mut bridge = opened.unwrap().bridge(&Caller::new(None, true));
    assert_eq!(wait(bridge.query("t", &Selection::Every, None, 5)).unwrap().rows.len(), 0);
    let secured = wait(client.query_one("SELECT count(*) FROM pg_stat_ssl WHERE ssl", &[])).unwrap();
    assert!(secured.get::<_, i64>(0) >= 1);
    // Signed by nobody who is known, for another name, or not at all.
    for (host, mode, root) in [
        (HOST, "verify-full", None),
        (HOST, "require", None),
        (HOST, "prefer", None),
        ("127.0.0.78", "require", Some(root.as_path())),
        (HOST, "disable", Some(root.as_path())),
    ] {
        let error = open(&address(host, mode), root).map(drop).unwrap_err();
        assert!(matches!(error, OpenError::Unreachable(_)), "{host} {mode}: {error}");
    }
    let nothing = at.join("server.key");
    let error = open(&address(HOST, "require"), Some(&nothing)).map(drop).unwrap_err();
    assert!(error.to_string().contains("holds no certificate"), "{error}");
}
