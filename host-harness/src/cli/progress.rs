//! How far a long deletion is, for a person at a terminal.

use std::io::{IsTerminal, Write};

/// Below this many records the answer is there before anybody reads a line.
const WORTH_SHOWING: u64 = 25;

/// Shows on standard error which record is attempted.
pub fn show(attempted: u64, of: u64) {
    if of >= WORTH_SHOWING && std::io::stderr().is_terminal() {
        eprint!("\r{attempted} of {of} records");
        // A line that can't be shown is no reason to stop.
        let _ = std::io::stderr().flush();
    }
}

/// Takes the line away.
pub fn clear(attempted: u64) {
    if attempted >= 1 && std::io::stderr().is_terminal() {
        eprint!("\r\x1b[K");
    }
}
