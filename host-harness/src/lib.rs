//! The reference host of the delete-records component: it lets AI agents delete records of an engine without
//! trusting them, or the model behind them, with it.
//!
//! A host implements [`bridge::Bridge`], four functions over its own engine for one caller, and loads the component as
//! a [`plugin::Plugin`]. Each call of a tool runs in a fresh sandboxed instance, whose only way out is that bridge, and
//! behind the [`guard`], which holds the guest to what the call allows without trusting it. What needs a person comes back
//! as a question ([`plugin::Reply::Asks`]); the call is made again with the answer, and nothing waits meanwhile.
//!
//! | room | what it holds |
//! | --- | --- |
//! | [`plugin`] | the component in its sandbox, and the limits of a call |
//! | [`guard`] | what the host enforces by itself |
//! | [`bridge`] | the trait, and the engines that are served out of the box |
//! | [`identity`] | who is calling |
//! | [`mcp`] | the tools as an MCP server, over stdio and HTTP |
//! | [`approval`] | the question to a person and their answer, as MCP carries them |
//! | [`config`] | one TOML file, as the settings of the guest |
//! | [`inspect`] | what a component can touch, told before it runs |
//! | [`native`] | the same policy without the sandbox: the tests' and the bench's floor |
//!
//! ```
//! use deletegate::{bridge::sqlite::Sqlite, config::Config, identity::Caller, plugin::*, tools::Scopes};
//!
//! let connection = rusqlite::Connection::open_in_memory()?;
//! connection.execute_batch("CREATE TABLE task (id INTEGER PRIMARY KEY); INSERT INTO task VALUES (7)")?;
//! let config = Config::default();
//! let sqlite = Sqlite::from_connection(connection, &config)?;
//! let settings = config.settings(sqlite.objects()?, None);
//! let plugin = Plugin::bundled(Limits::default())?;
//!
//! let mut bridge = sqlite.bridge(&Caller::new(Some("ana"), false));
//! let request = Request {
//!     tool: "delete_records".into(),
//!     arguments: r#"{"objectName": "task", "recordIds": ["7"]}"#.into(),
//!     scopes: Scopes::DATA_READ | Scopes::DATA_WRITE,
//!     approval: None,
//!     cancel: Cancel::default(),
//! };
//! let reply = futures_executor::block_on(plugin.call(&mut bridge, &settings, request));
//! let Reply::Answered(answer) = reply else { panic!("nobody is asked under consent `attest`") };
//! assert!(answer.failed && answer.json.contains("ACTION_CONFIRMATION_REQUIRED"), "a preview, and nothing went");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

#![forbid(unsafe_code)]

pub mod approval;
pub mod bridge;
pub mod config;
pub mod guard;
pub mod identity;
pub mod inspect;
pub mod mcp;
pub mod native;
pub mod plugin;

/// What the guest gives: the types of the WIT interface `deletegate:records/tools`.
pub use delete_records::tools;
