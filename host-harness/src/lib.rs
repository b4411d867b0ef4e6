//! The reference host of the delete-records component.

#![forbid(unsafe_code)]

pub mod bridge;
pub mod config;
pub mod guard;
pub mod identity;
pub mod inspect;
pub mod native;
pub mod plugin;

/// What the guest gives: the types of the WIT interface `deletegate:records/tools`.
pub use delete_records::tools;
