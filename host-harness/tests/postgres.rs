//! PostgreSQL behind the bridge, over a server that these tests start and stop. Each test has a database of its own.

#[path = "postgres/access.rs"]
mod access;
#[path = "postgres/callers.rs"]
mod callers;
#[path = "postgres/dependents.rs"]
mod dependents;
#[path = "postgres/filters.rs"]
mod filters;
#[path = "postgres/keys.rs"]
mod keys;
#[path = "postgres/locks.rs"]
mod locks;
#[path = "postgres/removal.rs"]
mod removal;
#[path = "postgres/row_security.rs"]
mod row_security;
#[path = "postgres/soft_delete.rs"]
mod soft_delete;
#[path = "postgres/support.rs"]
mod support;
#[path = "postgres/tls.rs"]
mod tls;
