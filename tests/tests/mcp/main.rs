//! The MCP server, as its clients meet it: real processes, real clients, raw bytes.
//!
//! `cargo xtask test` installs the clients; run alone, these tests say so where one is missing.

mod clients;
mod driver;
mod http;
mod load;
mod place;
mod raw;
mod replicas;
mod stdio;
