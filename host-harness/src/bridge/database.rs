//! The engines that are served out of the box, as one: a program that is told an address needs to know no more.

use std::sync::Arc;
use std::time::{Duration, Instant};

use super::postgres::{self, Postgres};
use super::sqlite::{self, Sqlite};
use super::{Access, Bridge, Named};
use crate::config::{Config, Engine, Names, ROLE_ACTOR, nearest};
use crate::identity::Caller;

/// What the check of the names may take: it reads no records.
const CHECK_TIME: Duration = Duration::from_secs(30);

/// A database at an [`Engine`]'s address, under the names of the configuration. Cheap to clone: clones share its
/// connections.
#[derive(Clone)]
pub struct Database {
    engine: Served,
    names: Arc<Names>,
}

/// The engine behind it.
#[derive(Clone)]
enum Served {
    /// A file.
    Sqlite(Sqlite),
    /// A server.
    Postgres(Postgres),
}

/// Why a database can't be served.
#[derive(Debug, thiserror::Error)]
pub enum OpenError {
    /// Aliases that would mean two things, or nothing.
    #[error("{0}")]
    Names(String),
    /// SQLite's reason.
    #[error(transparent)]
    Sqlite(#[from] sqlite::OpenError),
    /// PostgreSQL's reason.
    #[error(transparent)]
    Postgres(#[from] postgres::OpenError),
}

impl Database {
    /// Opens the database at an address, with what the configuration says about it.
    ///
    /// # Errors
    /// There is no such database, or the configuration does not fit its tables.
    pub async fn open(engine: &Engine, config: &Config) -> Result<Database, OpenError> {
        let engine = match engine {
            Engine::Sqlite(path) => Served::Sqlite(Sqlite::open(path, config)?),
            Engine::Postgres(address) => Served::Postgres(Postgres::open(address, config).await?),
        };
        let database = Database { engine, names: Arc::new(config.names()) };
        database.check_names().await?;
        Ok(database)
    }

    /// The names of all objects that tools are offered, as tools call them, sorted: tables with a key, system
    /// objects not among them.
    ///
    /// # Errors
    /// The engine failed.
    pub async fn objects(&self) -> Result<Vec<String>, OpenError> {
        let mut objects = self.own_objects()?;
        objects.retain(|own| self.names.offers(own));
        let mut objects: Vec<String> = objects.iter().map(|own| self.names.object(own).to_owned()).collect();
        objects.sort();
        Ok(objects)
    }

    /// What the engine says of where it is, added to what the configuration says: it can make the target production,
    /// and can't be talked out of it (contract, section 7).
    pub fn say_where(&self, config: &mut Config) {
        let environment = match &self.engine {
            Served::Sqlite(_) => None,
            Served::Postgres(postgres) => postgres.environment(),
        };
        if let Some(environment) = environment {
            config.target.add(environment);
        }
    }

    /// The bridge for one call of one caller, which must be over at the deadline. Its functions may block their
    /// thread: a server runs a whole call on a thread that may.
    pub fn bridge(&self, caller: &Caller, deadline: Instant) -> Box<dyn Bridge> {
        let bridge = self.own_bridge(caller, deadline);
        match self.names.change_nothing() {
            true => bridge,
            false => Box::new(Named::new(bridge, self.names.clone())),
        }
    }

    /// An object under the database's own name, as it is declared: what the configuration names must be there, whoever
    /// may read it.
    pub(crate) async fn declared(&self, own: &str) -> Option<Access> {
        match &self.engine {
            Served::Postgres(postgres) => postgres.declared(own),
            Served::Sqlite(sqlite) => {
                let mut bridge = sqlite.bridge(&Caller::new(None, true)).until(Instant::now() + CHECK_TIME);
                bridge.resolve_principal(own).await.ok()?.access
            }
        }
    }

    /// Why the server does not let this program act as a role that the configuration names for every caller: the key,
    /// and the reason.
    pub(crate) async fn role_troubles(&self, config: &Config) -> Result<Vec<(&'static str, String)>, OpenError> {
        let Served::Postgres(postgres) = &self.engine else { return Ok(Vec::new()) };
        let user = config.postgres.role.as_ref().filter(|role| !role.contains(ROLE_ACTOR));
        let mut troubles = Vec::new();
        for (key, role) in [("role", user), ("system-role", config.postgres.system_role.as_ref())] {
            if let Some(role) = role
                && let Some(why) = postgres.role_trouble(role).await?
            {
                troubles.push((key, why));
            }
        }
        Ok(troubles)
    }

    fn own_objects(&self) -> Result<Vec<String>, OpenError> {
        match &self.engine {
            Served::Sqlite(sqlite) => Ok(sqlite.objects()?),
            Served::Postgres(postgres) => Ok(postgres.objects()),
        }
    }

    fn own_bridge(&self, caller: &Caller, deadline: Instant) -> Box<dyn Bridge> {
        match &self.engine {
            Served::Sqlite(sqlite) => Box::new(sqlite.bridge(caller).until(deadline)),
            Served::Postgres(postgres) => Box::new(postgres.bridge(caller).until(deadline)),
        }
    }

    /// Refuses names that would mean two things, or nothing: a call under such a name would meet something else than
    /// its author believed.
    async fn check_names(&self) -> Result<(), OpenError> {
        let objects = self.own_objects()?;
        for own in self.names.renamed() {
            let wrong = |sentence: String| Err(OpenError::Names(format!("[objects.{own}] {sentence}")));
            let alias = self.names.object(own);
            if alias != own && objects.iter().any(|other| other == alias && self.names.object(other) == alias) {
                return wrong(format!("alias: there is another object `{alias}`."));
            }
            let Some(access) = self.declared(own).await else { continue };
            let fields: Vec<&str> = access.fields.iter().map(|field| field.name.as_str()).collect();
            for (column, alias) in self.names.aliases(own) {
                if !fields.contains(&column) {
                    let near = nearest(column, &fields).map(|name| format!(" Did you mean `{name}`?"));
                    return wrong(format!("aliases: there is no column `{column}`.{}", near.unwrap_or_default()));
                }
                if fields.iter().any(|other| *other == alias && self.names.field(own, other) == alias) {
                    return wrong(format!("aliases: there is another column `{alias}`."));
                }
            }
        }
        Ok(())
    }
}
