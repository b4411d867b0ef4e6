//! The address of a PostgreSQL database, as people write it for every other program.

use std::fmt;
use std::str::FromStr;

use tokio_postgres::config::Host;

/// What stands where a password would.
const HIDDEN: &str = "***";

/// A PostgreSQL database: `postgres://user@host/database`, or `postgresql://…`. The host may be the folder of a Unix
/// socket: `postgres:///crm?host=/run/postgresql`.
///
/// It is shown without its password, whoever shows it: as a target's name, in a command that is handed off, in a log.
#[derive(Clone, PartialEq, Eq)]
pub struct Address {
    config: Box<tokio_postgres::Config>,
    shown: String,
}

impl Address {
    /// Reads an address.
    ///
    /// # Errors
    /// A sentence that says what is allowed; it does not repeat the address, which may hold a password.
    pub fn parse(text: &str) -> Result<Address, String> {
        // Certificates are always verified, so what others call `verify-full` is what `require` means here.
        let known = text.replace("sslmode=verify-full", "sslmode=require");
        let mut config = tokio_postgres::Config::from_str(&known).map_err(|error| {
            let cause = std::error::Error::source(&error).map(|source| format!(": {source}")).unwrap_or_default();
            format!("{error}{cause}; write for example `postgres://app@localhost/crm` or `postgres:///crm?host=/run/postgresql`")
        })?;
        if config.get_hosts().is_empty() && config.get_hostaddrs().is_empty() {
            return Err("the address names no host; for the socket of this machine write for example \
                        `postgres:///crm?host=/run/postgresql`"
                .to_owned());
        }
        // As psql does: the user who runs this, where none is named.
        if config.get_user().is_none()
            && let Some(user) = std::env::var("PGUSER").or_else(|_| std::env::var("USER")).ok()
        {
            config.user(user);
        }
        config.application_name(config.get_application_name().unwrap_or("deletegate").to_owned());
        Ok(Address { config: Box::new(config), shown: without_password(text) })
    }

    /// The connection's parameters, with the password of `PGPASSWORD` where the address has none.
    pub(crate) fn parameters(&self) -> tokio_postgres::Config {
        let mut config = (*self.config).clone();
        if config.get_password().is_none()
            && let Some(password) = std::env::var_os("PGPASSWORD")
        {
            config.password(password.as_encoded_bytes());
        }
        config
    }

    /// How a person would name it: the database.
    pub fn name(&self) -> String {
        match (self.config.get_dbname(), self.config.get_hosts().first()) {
            (Some(name), _) => name.to_owned(),
            (None, Some(Host::Tcp(host))) => host.clone(),
            (None, _) => self.config.get_user().unwrap_or("postgres").to_owned(),
        }
    }
}

impl fmt::Display for Address {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.shown)
    }
}

impl fmt::Debug for Address {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Address({})", self.shown)
    }
}

/// The address without what stands between the user and the host, or behind `password=`.
fn without_password(text: &str) -> String {
    // Up to the first `@`, wherever it stands, is the user's part: so the parser takes it, too.
    let open = match text.split_once("://").and_then(|(scheme, rest)| Some((scheme, rest.split_once('@')?))) {
        Some((scheme, (user, place))) => format!("{scheme}://{}@{place}", user.split(':').next().unwrap_or_default()),
        None => text.to_owned(),
    };
    let (before, query) = open.split_once('?').map_or((open.as_str(), None), |(before, query)| (before, Some(query)));
    let mut shown = before.to_owned();
    if let Some(query) = query {
        let parts: Vec<String> = query
            .split('&')
            .map(|part| match part.split_once('=') {
                Some((key, _)) if key.to_ascii_lowercase().contains("pass") => format!("{key}={HIDDEN}"),
                _ => part.to_owned(),
            })
            .collect();
        shown = format!("{shown}?{}", parts.join("&"));
    }
    shown
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_password_is_never_shown() {
        for (text, shown) in [
            ("postgres://app:s3cret@db.example/crm", "postgres://app@db.example/crm"),
            (
                "postgresql://app:a%40b%2Fc@db.example:5433/crm?sslmode=require",
                "postgresql://app@db.example:5433/crm?sslmode=require",
            ),
            (
                "postgres:///crm?host=/run/postgresql&user=app&password=s3cret",
                "postgres:///crm?host=/run/postgresql&user=app&password=***",
            ),
            ("postgres://app:s3c?ret@db.example/crm", "postgres://app@db.example/crm"),
            ("postgres://app@%2Frun%2Fpostgresql/crm", "postgres://app@%2Frun%2Fpostgresql/crm"),
        ] {
            let address = Address::parse(text).unwrap();
            assert_eq!(address.to_string(), shown);
            assert_eq!(address.name(), "crm");
            for said in [format!("{address}"), format!("{address:?}"), format!("{:?}", address.parameters())] {
                assert!(!said.contains("s3c") && !said.contains("a%40b") && !said.contains("a@b"), "{said}");
            }
        }
    }

    #[test]
    fn what_is_wrong_is_told_without_the_address() {
        for text in [
            "postgres://",
            "postgres:///crm",
            "postgres://app:s3cret@db/crm?sslmode=maybe",
            "postgres://app:s3cret@db:port/crm",
        ] {
            let sentence = Address::parse(text).unwrap_err();
            assert!(sentence.contains("write for example `postgres:"), "{sentence}");
            assert!(!sentence.contains("s3cret"), "{sentence}");
        }
        assert!(Address::parse("postgres://app@db/crm?sslmode=verify-full").is_ok());
    }
}
