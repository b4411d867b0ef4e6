//! SQLite, in a file of its own.

use std::path::PathBuf;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use deletegate::config;
use rusqlite::types::ValueRef;
use rusqlite::{Connection, ErrorCode};
use tempfile::TempDir;

use super::{Engine, until};

pub struct Sqlite {
    folder: TempDir,
    other: Mutex<Connection>,
}

impl Sqlite {
    fn path(&self) -> PathBuf {
        self.folder.path().join("hand.db")
    }

    fn other(&self) -> MutexGuard<'_, Connection> {
        self.other.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Whether somebody is about to write.
    fn is_taken(&self) -> bool {
        let third = Connection::open(self.path()).unwrap();
        third.busy_timeout(Duration::ZERO).unwrap();
        match third.execute_batch("BEGIN IMMEDIATE; ROLLBACK") {
            Ok(()) => false,
            Err(error) => error.sqlite_error_code() == Some(ErrorCode::DatabaseBusy),
        }
    }
}

impl Engine for Sqlite {
    const OWNERS_SQL: &'static str = "";
    const OWNERS_CONFIG: &'static str = "removable = \"owner = :actor\"";
    const KEEPER: &'static str = "CREATE TRIGGER keeper BEFORE DELETE ON projects WHEN OLD.id = 1
         BEGIN SELECT RAISE(IGNORE); END;";
    const CASE_BLIND: (&'static str, &'static str) = ("COLLATE NOCASE", "");

    fn new(sql: &str) -> Sqlite {
        let folder = tempfile::tempdir().unwrap();
        let other = Connection::open(folder.path().join("hand.db")).unwrap();
        other.busy_timeout(Duration::from_secs(60)).unwrap();
        other.execute_batch(sql).unwrap();
        // Past the program nobody looks after foreign keys.
        other.pragma_update(None, "foreign_keys", false).unwrap();
        Sqlite { folder, other: Mutex::new(other) }
    }

    fn address(&self) -> config::Engine {
        config::Engine::Sqlite(self.path())
    }

    fn config(_lock_time: Duration) -> String {
        String::new()
    }

    fn run(&self, sql: &str) {
        self.other().execute_batch(sql).unwrap();
    }

    fn column(&self, sql: &str) -> Vec<String> {
        let other = self.other();
        let mut statement = other.prepare(sql).unwrap();
        let text = |row: &rusqlite::Row<'_>| {
            Ok(match row.get_ref(0)? {
                ValueRef::Null => "NULL".to_owned(),
                ValueRef::Integer(value) => value.to_string(),
                value => value.as_str()?.to_owned(),
            })
        };
        let rows = statement.query_map([], text).unwrap();
        rows.collect::<Result<_, _>>().unwrap()
    }

    /// The smallest lock of a writer is the whole file.
    fn lock(&self, _id: u32) {
        self.run("BEGIN IMMEDIATE");
    }

    fn unlock(&self) {
        self.run("ROLLBACK");
    }

    /// A reader holds up the call's commit, and then wants to write: SQLite tells the reader at once that it is busy.
    fn cross<T: Send>(&self, call: impl FnOnce() -> T + Send) -> T {
        self.run("BEGIN");
        assert_eq!(self.column("SELECT id FROM comments WHERE project_id = 1").len(), 1);
        std::thread::scope(|scope| {
            let calling = scope.spawn(call);
            until("the call writes nothing", || self.is_taken());
            let crossed = self.other().execute_batch("UPDATE projects SET note = 'crossed' WHERE id = 1");
            assert_eq!(crossed.unwrap_err().sqlite_error_code(), Some(ErrorCode::DatabaseBusy));
            self.run("ROLLBACK");
            calling.join().unwrap()
        })
    }

    fn cut(&self) {}

    /// It has no sessions; its time zone would be that of the process.
    fn in_new_york(&self) {}
}
