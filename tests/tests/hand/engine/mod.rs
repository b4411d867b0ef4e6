//! The engines, and what each needs of its own: rules, locks, time zones, and a session past the program.

mod postgres;
mod sqlite;

use std::time::{Duration, Instant};

use deletegate::config;

pub use postgres::Postgres;
pub use sqlite::Sqlite;

/// A database of its own, and a connection to it that the program knows nothing of.
pub trait Engine: Send + Sync + Sized + 'static {
    /// What lets only their owners delete projects, as SQL; all callers see them.
    const OWNERS_SQL: &'static str;
    /// The same as lines of `[objects.projects]`.
    const OWNERS_CONFIG: &'static str;
    /// A trigger that keeps project 1 without an error.
    const KEEPER: &'static str;
    /// A column's collation that takes `a` and `A` for one, and the SQL that it needs beforehand.
    const CASE_BLIND: (&'static str, &'static str);

    /// A database with these tables and these rows, and what callers need to reach them.
    fn new(sql: &str) -> Self;

    /// Where the program finds it.
    fn address(&self) -> config::Engine;

    /// Lines of the configuration that this engine needs. A lock is waited for so long, where that can be said.
    fn config(lock_time: Duration) -> String;

    /// Runs statements as somebody else, past every rule.
    fn run(&self, sql: &str);

    /// The first column of what a statement gives, each as text.
    fn column(&self, sql: &str) -> Vec<String>;

    /// Somebody else locks project `id`, or more where the engine has no smaller lock.
    fn lock(&self, id: u32);

    /// Gives the lock back.
    fn unlock(&self);

    /// Has somebody else hold what the call comes to wait for, and then want what the call holds.
    fn cross<T: Send>(&self, call: impl FnOnce() -> T + Send) -> T;

    /// Cuts every connection of the program's, where there is something to cut.
    fn cut(&self);

    /// Sessions that begin from now on are in New York.
    fn in_new_york(&self);
}

/// Waits until something comes true.
pub fn until(what: &str, mut holds: impl FnMut() -> bool) {
    let began = Instant::now();
    while !holds() {
        assert!(began.elapsed() < Duration::from_secs(60), "{what}");
        std::thread::sleep(Duration::from_millis(5));
    }
}
