//! The bridge to SQLite, against SQLite itself. One binary, so that it is linked once.

#[path = "sqlite/access.rs"]
mod access;
#[path = "sqlite/config.rs"]
mod config;
#[path = "sqlite/dependents.rs"]
mod dependents;
#[path = "sqlite/filters.rs"]
mod filters;
#[path = "sqlite/instants.rs"]
mod instants;
#[path = "sqlite/keys.rs"]
mod keys;
#[path = "sqlite/laws.rs"]
mod laws;
#[path = "sqlite/locks.rs"]
mod locks;
#[path = "sqlite/numbers.rs"]
mod numbers;
#[path = "sqlite/opening.rs"]
mod opening;
#[path = "sqlite/pages.rs"]
mod pages;
#[path = "sqlite/removal.rs"]
mod removal;
#[path = "sqlite/soft_delete.rs"]
mod soft_delete;
#[path = "sqlite/support.rs"]
mod support;
#[path = "sqlite/texts.rs"]
mod texts;
