//! What one call may cost, each limit with its reason.

use std::time::Duration;

/// Linear memory of one instance. The largest honest call holds 256 KiB of arguments, 1,000 rows with
/// their labels and an answer under 64 KiB; a page of 200 labels of 100 KB, which no bridge should send,
/// still fits.
pub const MEMORY_BYTES: usize = 64 << 20;

/// A whole call, bridge included. MCP clients commonly give up after 60 s; an answer that says what was
/// deleted has to be there before.
pub const CALL_TIME: Duration = Duration::from_secs(50);

/// The guest's own computing, bridge excluded. The largest honest call needs some ten milliseconds, so a
/// machine that is busy and slow passes and a guest that spins does not last.
pub const GUEST_TIME: Duration = Duration::from_secs(5);

/// The arguments' text (contract, section 2): room for the thousand ids of the largest cap, and nothing near
/// what would cost another call its turn.
pub const ARGUMENT_BYTES: usize = 256 << 10;

/// What a guest may hand over in one bridge function. A filter is written in at most 256 KiB, and each operand of
/// two bytes there (`1,`) becomes a value of 32 here.
pub const HANDED_BYTES: usize = 8 << 20;

/// What a guest may hand over in one call, all bridge functions together: the filter goes out again for each page.
pub const HANDED_BYTES_IN_ALL: usize = 64 << 20;

/// Bridge functions above those that a call needs at most: two principals, two aggregates, and for each
/// record of the cap one page (a bridge may give pages of one row) and one removal.
pub const SPARE_BRIDGE_CALLS: u32 = 8;

/// An answer stays under this (contract, section 8).
pub const ANSWER_BYTES: usize = 64 << 10;

/// What one call may cost. `Limits::default()` is made of this module's constants.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Limits {
    /// Linear memory of one instance, in bytes.
    pub memory_bytes: usize,
    /// The whole call. It is looked at before each bridge function, since nothing interrupts a bridge
    /// function from outside: the bridge has its own time limits.
    pub call_time: Duration,
    /// The guest's own computing, the time inside bridge functions excluded.
    pub guest_time: Duration,
    /// The arguments' text, in bytes.
    pub argument_bytes: usize,
    /// What the guest may hand over in one bridge function, in bytes.
    pub handed_bytes: usize,
    /// What the guest may hand over in one call, in bytes.
    pub handed_bytes_in_all: usize,
    /// Bridge functions above those that the cap accounts for.
    pub spare_bridge_calls: u32,
}

impl Default for Limits {
    fn default() -> Limits {
        Limits {
            memory_bytes: MEMORY_BYTES,
            call_time: CALL_TIME,
            guest_time: GUEST_TIME,
            argument_bytes: ARGUMENT_BYTES,
            handed_bytes: HANDED_BYTES,
            handed_bytes_in_all: HANDED_BYTES_IN_ALL,
            spare_bridge_calls: SPARE_BRIDGE_CALLS,
        }
    }
}

impl Limits {
    /// The bridge functions that a call with this cap may use.
    pub fn bridge_calls(&self, cap: u32) -> u32 {
        4u32.saturating_add(cap.saturating_mul(2)).saturating_add(self.spare_bridge_calls)
    }
}
