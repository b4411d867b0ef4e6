//! A transaction that never outlives its function.

use rusqlite::{Connection, Result};

/// An open transaction. Dropped without [`Transaction::commit`], by a panic too, it is rolled back.
pub(super) struct Transaction<'c>(&'c Connection);

impl<'c> Transaction<'c> {
    /// For reading: every statement sees the same state.
    pub fn read(connection: &'c Connection) -> Result<Transaction<'c>> {
        Transaction::begin(connection, "BEGIN DEFERRED")
    }

    /// For writing: takes the write lock at once, so that no later statement finds it taken by another.
    pub fn write(connection: &'c Connection) -> Result<Transaction<'c>> {
        Transaction::begin(connection, "BEGIN IMMEDIATE")
    }

    fn begin(connection: &'c Connection, statement: &str) -> Result<Transaction<'c>> {
        connection.prepare_cached(statement)?.execute([])?;
        Ok(Transaction(connection))
    }

    /// Makes the changes last. On an error they are rolled back.
    pub fn commit(self) -> Result<()> {
        self.0.prepare_cached("COMMIT")?.execute([]).map(drop)
    }
}

impl Drop for Transaction<'_> {
    fn drop(&mut self) {
        // A trigger's RAISE(ROLLBACK) has ended it already, and so has a commit that went well.
        if self.0.is_autocommit() {
            return;
        }
        if let Err(error) = self.0.prepare_cached("ROLLBACK").and_then(|mut statement| statement.execute([])) {
            tracing::error!(cause = %error, "SQLite could not roll back");
        }
    }
}
