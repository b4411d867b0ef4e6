//! What the caller's role may do with a table, as the database says.

use tokio_postgres::{Error, Row};

use super::column::Column;
use super::schema::Table;
use super::sql::{Params, Statement, get};

/// Rights on a table. They choose what is asked for; the database still judges each statement.
#[derive(Clone, Debug)]
pub(super) struct Rights {
    /// To see the schema's tables at all.
    schema: bool,
    /// To remove a record, in the way that is configured.
    remove: bool,
    /// To read the number of the transaction that wrote a record last.
    pub version: bool,
    /// Whether row security applies to this role.
    pub secured: bool,
    /// Whether the role may do everything.
    pub superuser: bool,
    /// The columns that can be read.
    columns: Vec<String>,
}

impl Rights {
    /// The statement that asks for them.
    pub fn statement(table: &Table) -> Statement {
        let mut params = Params::default();
        let oid = format!("CAST({} AS pg_catalog.oid)", params.text(table.oid.to_string()));
        let schema = format!("CAST({} AS pg_catalog.oid)", params.text(table.schema_oid.to_string()));
        let remove = match table.soft_delete {
            None => format!("pg_catalog.has_table_privilege({oid}, 'DELETE')"),
            Some(mark) => {
                let mark = params.text(table.columns[mark].name.as_str());
                format!("pg_catalog.has_column_privilege({oid}, {mark}, 'UPDATE')")
            }
        };
        let text = format!(
            "SELECT coalesce(pg_catalog.has_schema_privilege({schema}, 'USAGE'), FALSE), coalesce({remove}, FALSE),
                 coalesce(pg_catalog.has_column_privilege({oid}, 'xmin', 'SELECT'), FALSE),
                 pg_catalog.row_security_active({oid}),
                 coalesce((SELECT r.rolsuper FROM pg_catalog.pg_roles AS r WHERE r.rolname = current_user), FALSE),
                 ARRAY(SELECT a.attname::pg_catalog.text FROM pg_catalog.pg_attribute AS a
                       WHERE a.attrelid = {oid} AND a.attnum > 0 AND NOT a.attisdropped
                       AND pg_catalog.has_column_privilege({oid}, a.attnum, 'SELECT'))"
        );
        Statement::kept(text, params)
    }

    pub fn read(row: &Row) -> Result<Rights, Error> {
        Ok(Rights {
            schema: get(row, 0)?,
            remove: get(row, 1)?,
            version: get(row, 2)?,
            secured: get(row, 3)?,
            superuser: get(row, 4)?,
            columns: get(row, 5)?,
        })
    }

    /// All of them, whoever asks.
    pub fn all(table: &Table) -> Rights {
        let columns = table.columns.iter().map(|column| column.name.clone()).collect();
        Rights { schema: true, remove: true, version: true, secured: true, superuser: false, columns }
    }

    /// Whether the table is hidden from the role: it may not look into the schema, or has no right to the table at all.
    pub fn hide(&self) -> bool {
        !self.schema || (!self.remove && self.columns.is_empty())
    }

    /// Whether a column can be read.
    pub fn reads(&self, column: &Column) -> bool {
        self.schema && self.columns.contains(&column.name)
    }

    /// Whether a record can be found by its key, and removed.
    pub fn removes(&self, table: &Table) -> bool {
        self.remove && table.key_columns().all(|column| self.reads(column))
    }
}
