//! A database with its configuration in a folder of its own, and servers over it.

use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::{Arc, Mutex};

use conformance::clients::program;
use rusqlite::Connection;
use tempfile::TempDir;

/// Records of each object at the start, with ids from 1.
pub const RECORDS: i64 = 400;

/// What tokens say the server is called.
const AUDIENCE: &str = "https://deletegate.example/mcp";

/// A folder with `crm.db`, `crm.toml` and what they need.
///
/// Objects: `note` takes `confirm: true`, `account` an accepted question, `task` a typed one. A trigger locks the
/// records whose id ends in 9.
pub struct Place {
    folder: TempDir,
}

impl Place {
    pub fn new() -> Place {
        Place::with("")
    }

    /// With more lines for the configuration's `[mcp]`.
    pub fn with(mcp: &str) -> Place {
        // In memory, where the system has such a folder: the disk is not what is tested here.
        let memory = Path::new("/dev/shm");
        let folder = if memory.is_dir() { tempfile::tempdir_in(memory) } else { tempfile::tempdir() };
        let place = Place { folder: folder.unwrap() };
        let database = Connection::open(place.path("crm.db")).unwrap();
        database.execute_batch("PRAGMA journal_mode = WAL").unwrap();
        for object in ["note", "account", "task"] {
            let script = format!(
                "CREATE TABLE {object} (id INTEGER PRIMARY KEY, title TEXT, owner TEXT);
                 CREATE TRIGGER {object}_locked BEFORE DELETE ON {object} WHEN OLD.id % 10 = 9
                 BEGIN SELECT RAISE(ABORT, 'RECORD_LOCKED 409: the period is closed'); END;
                 WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < {RECORDS})
                 INSERT INTO {object} SELECT i, 'The {object} ' || i, 'ana' FROM n;"
            );
            database.execute_batch(&script).unwrap();
        }
        let config = format!(
            "engine = \"sqlite:crm.db\"\n[target]\nname = \"CRM\"\n[mcp]\n{mcp}\n[auth]\nissuer = \"https://id.example\"\n\
             audience = \"{AUDIENCE}\"\nsecret = \"token.secret\"\n[objects.account]\nconsent = \"accept\"\nlabel = \"title\"\n\
             [objects.task]\nconsent = \"typed\"\nlabel = \"title\"\n"
        );
        std::fs::write(place.path("crm.toml"), config).unwrap();
        std::fs::write(place.path("token.secret"), "a shared secret of at least 32 bytes\n").unwrap();
        place
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// The ids of an object's records, in order.
    pub fn left(&self, object: &str) -> Vec<i64> {
        let database = Connection::open(self.path("crm.db")).unwrap();
        let mut statement = database.prepare(&format!("SELECT id FROM {object} ORDER BY id")).unwrap();
        let ids = statement.query_map([], |row| row.get(0)).unwrap().collect::<Result<_, _>>();
        ids.unwrap()
    }

    /// How many of an object's records are gone.
    pub fn gone(&self, object: &str) -> usize {
        usize::try_from(RECORDS).unwrap() - self.left(object).len()
    }

    /// The command of a server over stdio for ana.
    pub fn stdio(&self) -> Vec<String> {
        let config = self.path("crm.toml").to_string_lossy().into_owned();
        let arguments = ["serve", "--stdio", "--actor", "ana", "--config"].map(str::to_owned);
        [program().to_string_lossy().into_owned()].into_iter().chain(arguments).chain([config]).collect()
    }

    /// A token for this user, with these scopes.
    pub fn token(&self, actor: &str, scopes: &str) -> String {
        let config = self.path("crm.toml");
        let output = Command::new(program())
            .args(["token", "--actor", actor, "--scopes", scopes, "--config"])
            .arg(config)
            .output()
            .unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8(output.stdout).unwrap().trim().to_owned()
    }

    /// A server over HTTP, listening.
    pub fn http(&self) -> Http {
        self.http_and(&[])
    }

    /// The same, with more arguments.
    pub fn http_and(&self, arguments: &[&str]) -> Http {
        let mut child = Command::new(program())
            .args(["serve", "--http", "127.0.0.1:0", "--config"])
            .arg(self.path("crm.toml"))
            .args(arguments)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let mut errors = BufReader::new(child.stderr.take().unwrap()).lines();
        let address = loop {
            let line = errors.next().expect("the server ended before it listened").unwrap();
            if let Some((_, rest)) = line.split_once("http://") {
                break rest.trim_end_matches("/mcp").to_owned();
            }
        };
        let log = Arc::new(Mutex::new(Vec::new()));
        let lines = log.clone();
        std::thread::spawn(move || errors.map_while(Result::ok).for_each(|line| lines.lock().unwrap().push(line)));
        Http { child, address, log }
    }
}

/// A server process over HTTP; it is killed when this is dropped.
pub struct Http {
    pub child: Child,
    /// `127.0.0.1:PORT`
    pub address: String,
    log: Arc<Mutex<Vec<String>>>,
}

impl Http {
    pub fn url(&self) -> String {
        format!("http://{}/mcp", self.address)
    }

    /// What it has logged so far.
    pub fn log(&self) -> String {
        self.log.lock().unwrap().join("\n")
    }

    /// Asks it to stop, as a service manager does.
    pub fn terminate(&self) {
        terminate(&self.child);
    }
}

impl Drop for Http {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Sends SIGTERM.
pub fn terminate(child: &Child) {
    assert!(Command::new("kill").args(["-TERM", &child.id().to_string()]).status().unwrap().success());
}
