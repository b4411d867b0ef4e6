//! The clock that interrupts a guest which does not stop computing.

use std::sync::mpsc::{RecvTimeoutError, SyncSender, sync_channel};
use std::time::Duration;

use wasmtime::Engine;

/// How often a guest that is computing is looked at: a spinning guest lets others on its thread go on
/// this often, and its time limit is this exact.
pub(super) const TICK: Duration = Duration::from_millis(10);

/// A thread that advances the engine's epoch every [`TICK`], until this is dropped.
pub(super) struct Ticker {
    /// Never sent on: the thread ends when it is dropped.
    _until: SyncSender<()>,
}

impl Ticker {
    pub(super) fn start(engine: &Engine) -> std::io::Result<Ticker> {
        let (until, dropped) = sync_channel::<()>(0);
        let engine = engine.weak();
        std::thread::Builder::new().name("deletegate-ticker".to_owned()).spawn(move || {
            while let Err(RecvTimeoutError::Timeout) = dropped.recv_timeout(TICK) {
                match engine.upgrade() {
                    Some(engine) => engine.increment_epoch(),
                    None => break,
                }
            }
        })?;
        Ok(Ticker { _until: until })
    }
}
