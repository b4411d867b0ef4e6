//! The way between a guest and the host that runs it.
//!
//! A guest runs as a coroutine: its bridge function leaves a [`Wish`] and suspends; the host grants it
//! through the guard and resumes the guest. So the host's bridge stays on the host's side of the sandbox,
//! borrowed for the call and no longer, and a guest that the guard ends never runs another instruction.

use std::future::poll_fn;
use std::sync::{Arc, Mutex, PoisonError};
use std::task::Poll;
use std::time::{Duration, Instant};

use delete_records::bridge::{Failure, Page, Principal, RecordId, Removal, Selection, Totals};

/// A place for one value, between two sides that never run at the same time.
pub(super) struct Slot<T>(Arc<Mutex<Option<T>>>);

impl<T> Slot<T> {
    pub(super) fn new() -> Slot<T> {
        Slot(Arc::new(Mutex::new(None)))
    }

    pub(super) fn put(&self, value: T) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = Some(value);
    }

    pub(super) fn take(&self) -> Option<T> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).take()
    }

    /// Waits for the value. No waker: the host polls the guest when it has put one there.
    pub(super) async fn wait(&self) -> T {
        poll_fn(|_| self.take().map_or(Poll::Pending, Poll::Ready)).await
    }
}

impl<T> Clone for Slot<T> {
    fn clone(&self) -> Slot<T> {
        Slot(Arc::clone(&self.0))
    }
}

/// The answer of a bridge function.
pub(super) type Grant<T> = Slot<Result<T, Failure>>;

/// What a guest wants from the bridge, and where the answer goes.
pub(super) enum Wish {
    ResolvePrincipal { object: String, grant: Grant<Principal> },
    Query { object: String, selection: Selection, after: Option<RecordId>, limit: u32, grant: Grant<Page> },
    Aggregate { object: String, selection: Selection, grant: Grant<Totals> },
    Remove { object: String, id: RecordId, revision: Option<String>, grant: Grant<Removal> },
}

/// The guest's own computing: from when it is resumed to when it suspends.
#[derive(Clone)]
pub(super) struct Stopwatch(Arc<Mutex<Stretches>>);

struct Stretches {
    before: Duration,
    resumed: Option<Instant>,
}

impl Stopwatch {
    pub(super) fn new() -> Stopwatch {
        Stopwatch(Arc::new(Mutex::new(Stretches { before: Duration::ZERO, resumed: None })))
    }

    pub(super) fn resume(&self) {
        self.stretches().resumed = Some(Instant::now());
    }

    pub(super) fn suspend(&self) {
        let mut stretches = self.stretches();
        if let Some(resumed) = stretches.resumed.take() {
            stretches.before += resumed.elapsed();
        }
    }

    /// This stretch, and all stretches together.
    pub(super) fn elapsed(&self) -> (Duration, Duration) {
        let stretches = self.stretches();
        let stretch = stretches.resumed.map_or(Duration::ZERO, |resumed| resumed.elapsed());
        (stretch, stretches.before + stretch)
    }

    fn stretches(&self) -> std::sync::MutexGuard<'_, Stretches> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
