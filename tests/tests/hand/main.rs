//! Cases from the issues of others, over real databases: what an agent, a driver or a neighbour did to somebody's delete tool,
//! done to this one.
//!
//! Each case runs through the whole program, that is the bundled component behind the guard, once on SQLite and once on
//! PostgreSQL. It is written once, and wants the same bytes of both. What is left is read past the program.

mod again;
mod contention;
mod engine;
mod events;
mod expect;
mod filters;
mod ids;
mod outcome;
mod place;
mod sizes;
mod tables;
mod values;

use std::sync::OnceLock;

use tokio::runtime::{Handle, Runtime};

/// Waits in a thread of a test, and in what such a thread does in the middle of a call.
fn wait<T>(work: impl Future<Output = T>) -> T {
    static RUNTIME: OnceLock<Runtime> = OnceLock::new();
    match Handle::try_current() {
        Ok(handle) => tokio::task::block_in_place(|| handle.block_on(work)),
        Err(_) => RUNTIME
            .get_or_init(|| tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().unwrap())
            .block_on(work),
    }
}

/// Makes a test of each case for each engine.
macro_rules! on_both {
    ($($module:ident: $($case:ident)*;)*) => {
        mod sqlite {
            $($(#[test] fn $case() { crate::$module::$case::<crate::engine::Sqlite>(); })*)*
        }
        mod postgres {
            $($(#[test] fn $case() { crate::$module::$case::<crate::engine::Postgres>(); })*)*
        }
    };
}

on_both! {
    filters:
        b01_a_condition_whose_value_went_missing
        b04_nothing_misspelt_is_skipped
        b17_hostile_keys
        b17_nesting;
    values:
        b14_wildcards_are_letters
        b15_letter_case_counts;
    ids:
        b12_ids_above_2_53
        b12_numbers_that_are_no_integers
        b30_composite_keys;
    sizes:
        b18_long_lists_of_ids
        b18_long_lists_of_operands
        b18_one_long_id;
    events:
        b20_what_is_no_instant
        b20_borders_in_another_time_zone
        b20_the_hosts_time_zone;
    outcome:
        b06_partly_applied
        b23_what_a_policy_keeps
        b23_what_a_trigger_keeps
        b28_foreign_keys_on_each_connection
        b28_comments_go_with_their_project;
    contention:
        b26_one_refusal_poisons_nothing
        b26_two_calls_at_once
        b26_a_deadlock
        b26_a_lock_that_stays
        b53_a_lock_that_outlives_the_call;
    again:
        b44_the_same_ids
        b44_the_same_filter
        b44_a_soft_deletion;
}
