//! A database with the program over it.

use std::path::Path;
use std::sync::OnceLock;
use std::time::{Duration, Instant};

use conformance::engine::Boxed;
use deletegate::bridge::memory::{Trace, Traced};
use deletegate::bridge::{Database, Watched};
use deletegate::config::Config;
use deletegate::identity::Caller;
use deletegate::plugin::{Cancel, Limits, Plugin, Reply, Request};
use deletegate::tools::{Scopes, Settings};
use serde_json::{Value as Json, json};

use crate::engine::Engine;
use crate::tables::PROJECTS;
use crate::wait;

/// What a place begins with.
pub struct Setup<'a> {
    pub sql: &'a str,
    /// Lines of `[objects.projects]`.
    pub projects: &'a str,
    /// Further tables of the configuration.
    pub config: &'a str,
    /// How long the engine waits for a lock, where that can be said.
    pub lock_time: Duration,
    /// How long a call may take.
    pub call_time: Duration,
}

impl Default for Setup<'_> {
    fn default() -> Self {
        let Limits { call_time, .. } = Limits::default();
        Setup { sql: PROJECTS, projects: "", config: "", lock_time: Duration::from_secs(20), call_time }
    }
}

pub struct Place<E> {
    pub engine: E,
    database: Database,
    config: Config,
    settings: Settings,
    plugin: Plugin,
    trace: Trace,
}

/// The component, compiled once for each span of time that a call may take.
fn plugin(call_time: Duration) -> Plugin {
    static USUAL: OnceLock<Plugin> = OnceLock::new();
    let limits = Limits { call_time, ..Limits::default() };
    match limits == Limits::default() {
        true => USUAL.get_or_init(|| Plugin::bundled(limits).unwrap()).clone(),
        false => Plugin::bundled(limits).unwrap(),
    }
}

impl<E: Engine> Place<E> {
    /// `projects` and what depends on them: all callers see them, their owners may delete them.
    pub fn projects() -> Place<E> {
        Place::new(Setup::default())
    }

    /// These tables, without rules.
    pub fn tables(sql: &str) -> Place<E> {
        Place::new(Setup { sql, ..Setup::default() })
    }

    pub fn new(setup: Setup<'_>) -> Place<E> {
        let has_projects = setup.sql.contains("CREATE TABLE projects");
        let rules = if has_projects { E::OWNERS_SQL } else { "" };
        let engine = E::new(&format!("{}\n{rules}", setup.sql));
        let objects = match has_projects {
            true => format!("[objects.projects]\n{}\n{}\n", E::OWNERS_CONFIG, setup.projects),
            false => String::new(),
        };
        let config = format!("[target]\nname = \"hand\"\n{}{objects}{}", E::config(setup.lock_time), setup.config);
        let mut config = Config::parse(&config, Path::new("")).unwrap();
        config.engine = Some(engine.address());
        let plugin = plugin(setup.call_time);
        let database = open(&config);
        let settings = config.settings(wait(database.objects()).unwrap(), None);
        assert_eq!(wait(plugin.check_settings(&settings)).unwrap(), Vec::<String>::new());
        Place { engine, database, config, settings, plugin, trace: Trace::default() }
    }

    /// The program is started again.
    pub fn restart(&mut self) {
        self.database = open(&self.config);
    }

    /// A call of `delete_records`.
    pub fn call(&self, actor: &str, arguments: Json) -> Said {
        self.call_tool(actor, "delete_records", arguments)
    }

    pub fn call_tool(&self, actor: &str, tool: &str, arguments: Json) -> Said {
        self.call_text(actor, tool, arguments.to_string())
    }

    pub fn call_text(&self, actor: &str, tool: &str, arguments: String) -> Said {
        self.call_while(actor, tool, arguments, |_| ())
    }

    /// With what happens just before each removal, which are counted from 1.
    pub fn call_while(
        &self,
        actor: &str,
        tool: &str,
        arguments: String,
        mut meanwhile: impl FnMut(u64) + Send + 'static,
    ) -> Said {
        let deadline = Instant::now() + self.plugin.limits().call_time;
        let bridge = self.database.bridge(&Caller::new(Some(actor), false), deadline);
        let watched = Watched::new(bridge, move |removal, _| meanwhile(removal));
        let mut bridge = Traced::new(Boxed(Box::new(watched)), self.trace.clone());
        let request = Request {
            tool: tool.to_owned(),
            arguments,
            scopes: Scopes::DATA_READ | Scopes::DATA_WRITE,
            approval: None,
            cancel: Cancel::default(),
        };
        match wait(self.plugin.call(&mut bridge, &self.settings, request)) {
            Reply::Answered(answer) => Said::new(answer.failed, answer.json),
            other => panic!("no answer: {other:?}"),
        }
    }

    /// What was asked of the bridge since this was asked last.
    pub fn asked(&self) -> Vec<String> {
        self.trace.take()
    }

    /// The ids that are left of an object with a key `id`.
    pub fn left(&self, object: &str) -> Vec<String> {
        self.engine.column(&format!("SELECT id FROM {object} ORDER BY id"))
    }

    /// Nothing was done to `projects` and what depends on them.
    #[track_caller]
    pub fn assert_projects_untouched(&self) {
        assert_eq!(self.left("projects"), ["1", "2", "3", "4", "6"]);
        assert_eq!(self.left("tasks"), ["1"]);
        assert_eq!(self.left("comments"), ["1", "2", "3", "4"]);
    }
}

fn open(config: &Config) -> Database {
    wait(Database::open(config.engine.as_ref().unwrap(), config)).unwrap()
}

/// An answer.
pub struct Said {
    pub failed: bool,
    /// As it was given, with every digest written as `sha256:…`.
    pub text: String,
    pub json: Json,
}

impl Said {
    fn new(failed: bool, text: String) -> Said {
        let json: Json = serde_json::from_str(&text).unwrap();
        assert_eq!(failed, json.get("error").is_some(), "{text}");
        let mut masked = text;
        if let Some(digest) = json["preview"]["digest"].as_str() {
            masked = masked.replace(digest, "sha256:…");
        }
        Said { failed, text: masked, json }
    }

    /// Of a preview.
    pub fn digest(&self) -> &str {
        self.json["preview"]["digest"].as_str().unwrap()
    }

    /// The ids that a preview shows.
    pub fn sample(&self) -> &Json {
        assert_eq!(self.json["error"]["code"], "ACTION_CONFIRMATION_REQUIRED", "{}", self.text);
        &self.json["preview"]["sampleRecordIds"]
    }

    /// It is a failed answer with this code, status and message.
    #[track_caller]
    pub fn refuses(&self, code: &str, status: u16, message: &str) {
        let expected = json!({ "error": { "code": code, "status": status, "message": message } });
        assert_eq!(self.text, expected.to_string());
    }
}
