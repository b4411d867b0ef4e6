//! The servers that the suite and the inspector meet.

use std::io::{BufRead, BufReader};
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};

use conformance::clients::program;
use deletegate::mcp::http::{self, Reach};
use rusqlite::Connection;
use tempfile::TempDir;
use tokio::net::TcpListener;
use tokio::runtime::Runtime;

use super::fixture::Fixture;

/// Serves the fixture for as long as the tests run, and gives its address.
pub fn fixture() -> String {
    let runtime = Runtime::new().unwrap();
    let listener = runtime.block_on(TcpListener::bind("127.0.0.1:0")).unwrap();
    let origin = format!("http://localhost:{}", listener.local_addr().unwrap().port());
    let url = format!("{origin}{}", http::PATH);
    let reach = Reach { hosts: Vec::new(), origins: vec![origin] };
    std::thread::spawn(move || {
        runtime.block_on(http::serve(listener, Fixture::new(), None, reach, std::future::pending()))
    });
    url
}

/// A folder with a database of three notes and a configuration.
pub struct Home {
    folder: TempDir,
}

/// The program, serving over HTTP; it is ended when this is dropped.
pub struct Served {
    child: Child,
    /// Where it serves.
    pub url: String,
}

impl Home {
    pub fn new() -> Home {
        let home = Home { folder: tempfile::tempdir().unwrap() };
        let database = "CREATE TABLE note (id INTEGER PRIMARY KEY, text TEXT); INSERT INTO note VALUES (1, 'a'), (2, 'b'), (3, 'c')";
        Connection::open(home.file("notes.db")).unwrap().execute_batch(database).unwrap();
        std::fs::write(home.file("token.secret"), "a secret of thirty-two bytes or more").unwrap();
        // The suite's origin is the server's own address, whose port is not known yet.
        let config = r#"
            engine = "sqlite:notes.db"
            mcp.allowed-origins = ["http://localhost:*"]
            auth = { issuer = "https://id.example", audience = "https://notes.example/mcp", secret = "token.secret" }
        "#;
        std::fs::write(home.config(), config).unwrap();
        home
    }

    /// The configuration.
    pub fn config(&self) -> PathBuf {
        self.file("deletegate.toml")
    }

    /// A file in the folder.
    pub fn file(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// How many notes there are.
    pub fn left(&self) -> u32 {
        let database = Connection::open(self.file("notes.db")).unwrap();
        database.query_row("SELECT count(*) FROM note", [], |row| row.get(0)).unwrap()
    }

    /// A token that may call the tools.
    pub fn token(&self) -> String {
        let arguments = ["token", "--actor", "ana", "--config"];
        let output = Command::new(program()).args(arguments).arg(self.config()).output().unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8(output.stdout).unwrap().trim().to_owned()
    }

    /// Serves over HTTP.
    pub fn serve(&self) -> Served {
        let mut child = Command::new(program())
            .args(["serve", "--http", "127.0.0.1:0", "--config"])
            .arg(self.config())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let mut lines = BufReader::new(child.stderr.take().unwrap()).lines();
        let first = lines.next().unwrap().unwrap();
        // What it logs is read, so that it never waits for a reader.
        std::thread::spawn(move || lines.for_each(drop));
        let (_, port) = first.split_once("http://127.0.0.1:").unwrap_or_else(|| panic!("{first}"));
        Served { child, url: format!("http://localhost:{port}") }
    }
}

impl Drop for Served {
    fn drop(&mut self) {
        // It may have ended by itself, which a test has noticed.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
