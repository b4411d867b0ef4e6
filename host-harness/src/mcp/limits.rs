//! What a server takes on at once, each limit with its reason.

use std::time::Duration;

/// One message. The arguments of a call have at most 256 KiB; as a string in a string each byte may need six.
pub const MESSAGE_BYTES: usize = 2 << 20;

/// Calls that run at once. Each holds an instance of at most 64 MiB and a connection of the engine's.
pub const CALLS: usize = 32;

/// Calls of one caller that run at once: a fan-out of an agent fits, and leaves room for others.
pub const CALLS_OF_ONE: usize = 8;

/// Questions that are open at once. Nothing but a few hundred bytes is held for one.
pub const QUESTIONS: usize = 256;

/// Questions of one caller that are open at once: more than a person can keep apart helps nobody.
pub const QUESTIONS_OF_ONE: usize = 4;

/// How long a question may be answered. A person may have to ask somebody; what was asked is compared again anyhow.
pub const QUESTION_LIFE: Duration = Duration::from_secs(10 * 60);

/// A session ends when nothing was heard of it for so long: a question must fit in.
pub const SESSION_LIFE: Duration = Duration::from_secs(15 * 60);

/// How long calls in flight may take to finish their current record and report when the server stops.
pub const STOPPING_TIME: Duration = Duration::from_secs(10);

/// How long the last answers may take on their way out once no call runs any more.
pub const FLUSH_TIME: Duration = Duration::from_millis(250);

/// The least time between two progress notifications of one call.
pub const PROGRESS_INTERVAL: Duration = Duration::from_millis(100);

/// What a server takes on at once. `ServerLimits::default()` is made of this module's constants.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ServerLimits {
    /// Calls that run at once.
    pub calls: usize,
    /// Calls of one caller that run at once.
    pub calls_of_one: usize,
    /// Questions that are open at once.
    pub questions: usize,
    /// Questions of one caller that are open at once.
    pub questions_of_one: usize,
    /// How long a question may be answered.
    pub question_life: Duration,
}

impl Default for ServerLimits {
    fn default() -> ServerLimits {
        ServerLimits {
            calls: CALLS,
            calls_of_one: CALLS_OF_ONE,
            questions: QUESTIONS,
            questions_of_one: QUESTIONS_OF_ONE,
            question_life: QUESTION_LIFE,
        }
    }
}
