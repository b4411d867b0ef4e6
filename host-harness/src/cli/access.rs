//! Where the records are and who is calling: what every command that touches them is told.

use std::path::{Path, PathBuf};
use std::time::Instant;

use anyhow::{Context, Result, bail};
use delete_records::text::shell;
use deletegate::bridge::{Bridge, Database};
use deletegate::config::{Config, Engine};
use deletegate::identity::Caller;
use deletegate::plugin::{Limits, Plugin, Reply, Request};
use deletegate::tools::{Consent, Settings};
use tokio::runtime::{Builder, Runtime};

/// The options that say where and who.
#[derive(clap::Args)]
pub struct Access {
    /// Where the records are: sqlite:PATH or postgres://USER@HOST/DATABASE. Needed unless the configuration says it.
    /// A password may stand in PGPASSWORD.
    #[arg(long, value_name = "ENGINE")]
    pub engine: Option<String>,
    /// Who is calling: the user's id, as the rules of the database know it.
    #[arg(long, value_name = "ID", conflicts_with = "system")]
    pub actor: Option<String>,
    /// Call as the system, which sees every record; the rules of the database still judge each.
    #[arg(long)]
    pub system: bool,
    /// A configuration file (TOML).
    #[arg(long, value_name = "FILE")]
    pub config: Option<PathBuf>,
    /// Another component than the one built in; it must import the bridge and nothing else.
    #[arg(long, value_name = "FILE.wasm")]
    pub component: Option<PathBuf>,
}

/// A database, its settings and a component, ready for calls.
pub struct Prepared {
    /// The component.
    pub plugin: Plugin,
    /// What the configuration comes to.
    pub settings: Settings,
    /// Who is calling, by the command line.
    pub caller: Caller,
    /// Where the records are.
    pub database: Database,
    /// The configuration, with what the command line says.
    pub config: Config,
}

/// The same, for one caller's calls, one after the other.
pub struct Session {
    /// The component.
    pub plugin: Plugin,
    /// What the configuration comes to.
    pub settings: Settings,
    /// Who is calling.
    pub caller: Caller,
    database: Database,
    runtime: Runtime,
}

impl Access {
    /// Opens the database, loads the component and has it check the settings.
    pub async fn prepare(&self) -> Result<Prepared> {
        let mut config = self.configuration()?;
        let Some(engine) = config.engine.clone() else {
            bail!(
                "where are the records? Give --engine sqlite:PATH or postgres://USER@HOST/DATABASE, or `engine` in the file of --config"
            );
        };
        let database = Database::open(&engine, &config).await?;
        database.say_where(&mut config);
        let settings = config.settings(database.objects().await?, Some(self.hand_off(&engine)));
        let plugin = self.plugin()?;
        check(&plugin, &settings).await?;
        let caller = Caller::new(self.actor.as_deref(), self.system || config.is_system);
        Ok(Prepared { plugin, settings, caller, database, config })
    }

    /// The same, to make calls one after the other.
    pub fn open(&self) -> Result<Session> {
        let runtime = runtime()?;
        let Prepared { plugin, settings, caller, database, .. } = runtime.block_on(self.prepare())?;
        Ok(Session { plugin, settings, caller, database, runtime })
    }

    /// The configuration, with what the command line says in place of what the file says.
    pub fn configuration(&self) -> Result<Config> {
        let mut config = match &self.config {
            Some(path) => Config::load(path)?,
            None => Config::default(),
        };
        if let Some(engine) = &self.engine {
            config.engine = Some(Engine::parse(engine, Path::new("")).map_err(anyhow::Error::msg)?);
        }
        Ok(config)
    }

    /// The component of `--component`, else the one built in.
    pub fn plugin(&self) -> Result<Plugin> {
        let limits = Limits::default();
        match &self.component {
            None => Ok(Plugin::bundled(limits)?),
            Some(path) => {
                let bytes = std::fs::read(path).with_context(|| format!("{} can't be read", path.display()))?;
                Plugin::load(&bytes, limits).with_context(|| format!("{} is not loaded", path.display()))
            }
        }
    }

    /// The command that a person can run where nobody can be asked; the guest adds who, what and which.
    fn hand_off(&self, engine: &Engine) -> String {
        let mut command = "deletegate delete".to_owned();
        // What the file says, with a password perhaps, stays there.
        if self.engine.is_some() || self.config.is_none() {
            command.push_str(&format!(" --engine={}", shell(&engine.to_string())));
        }
        for (flag, file) in [("config", &self.config), ("component", &self.component)] {
            if let Some(file) = file {
                command.push_str(&format!(" --{flag}={}", shell(&file.to_string_lossy())));
            }
        }
        command
    }
}

impl Session {
    /// The bridge for one call of the caller's, which begins now: its time ends a statement too.
    pub fn bridge(&self) -> Box<dyn Bridge> {
        self.database.bridge(&self.caller, Instant::now() + self.plugin.limits().call_time)
    }

    /// Asks the caller's bridge something, outside any call of a tool.
    pub fn ask<T, F: Future<Output = T>>(&self, question: impl FnOnce(Box<dyn Bridge>) -> F) -> T {
        self.runtime.block_on(question(self.bridge()))
    }

    /// What a deletion from the object takes.
    pub fn consent(&self, object: Option<&str>) -> Consent {
        let own = self.settings.rules.iter().find(|rule| Some(rule.object.as_str()) == object);
        own.unwrap_or(&self.settings.default_rule).consent
    }

    /// Makes one call.
    pub fn call(&self, request: Request) -> Reply {
        self.call_over(&mut *self.bridge(), request)
    }

    /// Makes one call over a bridge that stands before the session's own.
    pub fn call_over(&self, bridge: &mut dyn Bridge, request: Request) -> Reply {
        self.runtime.block_on(self.plugin.call(bridge, &self.settings, request))
    }
}

/// Refuses settings that the component can't use, all that is wrong at once.
pub async fn check(plugin: &Plugin, settings: &Settings) -> Result<()> {
    let wrong = plugin.check_settings(settings).await?;
    if !wrong.is_empty() {
        bail!("the settings can't be used:\n  {}", wrong.join("\n  "));
    }
    Ok(())
}

/// What a command's calls run on: one at a time, in its own thread.
pub fn runtime() -> Result<Runtime> {
    Builder::new_current_thread().enable_all().build().context("no runtime can be started")
}
