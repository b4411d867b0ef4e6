//! Where the records are.

use std::fmt;
use std::path::{Path, PathBuf};

use super::Address;

/// An engine's address.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Engine {
    /// A SQLite database in a file: `sqlite:crm.db`.
    Sqlite(PathBuf),
    /// A PostgreSQL database: `postgres://app@localhost/crm`.
    Postgres(Address),
}

impl Engine {
    /// Reads an address; a relative path starts from `base`.
    ///
    /// # Errors
    /// A sentence that says what is allowed.
    pub fn parse(text: &str, base: &Path) -> Result<Engine, String> {
        match text.split_once(':') {
            Some(("sqlite", "")) => Err("`sqlite:` names no file; write for example `sqlite:crm.db`".to_owned()),
            Some(("sqlite", path)) => Ok(Engine::Sqlite(base.join(path))),
            Some(("postgres" | "postgresql", _)) => Address::parse(text).map(Engine::Postgres),
            // The text may hold a password, so only its beginning is repeated.
            scheme => Err(format!(
                "`{}` names no engine; allowed are `sqlite:PATH`, for example `sqlite:crm.db`, and `postgres://USER@HOST/DATABASE`",
                scheme.map_or(text, |(scheme, _)| scheme)
            )),
        }
    }

    /// How a person would name it: the file name, or the name, of the database.
    pub fn name(&self) -> String {
        match self {
            Engine::Sqlite(path) => {
                path.file_name().map_or_else(|| "sqlite".to_owned(), |name| name.to_string_lossy().into_owned())
            }
            Engine::Postgres(address) => address.name(),
        }
    }
}

impl fmt::Display for Engine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Engine::Sqlite(path) => write!(f, "sqlite:{}", path.display()),
            Engine::Postgres(address) => address.fmt(f),
        }
    }
}
