//! One call of the component: on a thread that may block, counted, stopped when nobody waits for it, and logged.

use std::time::Instant;

use delete_records::refused::Refused;
use tokio::runtime::Handle;

use super::{Server, log, progress};
use crate::bridge::Watched;
use crate::identity::Caller;
use crate::plugin::{Cancel, Reply, Request};
use crate::tools::Answer;

impl Server {
    /// Makes one call for a caller. When the future is dropped the call stops at its next record, and is logged.
    pub(super) async fn run(&self, caller: &Caller, request: Request, steps: Option<progress::Sender>) -> Reply {
        let shared = &self.shared;
        if shared.stopping.is_cancelled() {
            return failed("SERVER_STOPPING", 503, "The server is stopping; nothing was deleted. Call again later.");
        }
        let Some(place) = shared.calls.take(&name(caller)) else {
            let most = format!("{} in all, {} for one caller", shared.limits.calls, shared.limits.calls_of_one);
            return busy(&format!("Too many calls run at once (at most {most})"));
        };
        let mut stop = StopOnDrop(Some(request.cancel.clone()));
        let cancel = request.cancel.clone();
        let (this, caller, handle) = (self.shared.clone(), caller.clone(), Handle::current());
        let call = shared.running.spawn_blocking(move || {
            let _place = place;
            let started = Instant::now();
            let bridge = this.database.bridge(&caller, started + this.plugin.limits().call_time);
            let mut bridge = Watched::new(bridge, move |attempted, of| {
                if let Some(steps) = &steps {
                    steps.send_replace((attempted, of));
                }
            });
            let reply = handle.block_on(this.plugin.call(&mut bridge, &this.settings, request.clone()));
            log::call(&caller, &request, &reply, started.elapsed());
            reply
        });
        tokio::pin!(call);
        let joined = tokio::select! {
            joined = &mut call => joined,
            () = shared.stopping.cancelled() => {
                cancel.cancel();
                call.await
            }
        };
        // The same request may be made again, with an answer.
        stop.0 = None;
        joined.unwrap_or_else(|error| {
            tracing::error!(cause = %error, "a call ended without an answer");
            failed(
                "ENGINE_FAULT",
                502,
                "The host failed during the call; some records may be gone. Look before you call again.",
            )
        })
    }
}

/// A caller's name among callers; a user's can't read as the system's.
pub(super) fn name(caller: &Caller) -> String {
    caller.actor().map_or_else(|| "system".to_owned(), |actor| format!("user {actor}"))
}

/// A polite refusal: nothing was tried.
pub(super) fn busy(why: &str) -> Reply {
    failed("TOO_MANY_REQUESTS", 429, &format!("{why}; nothing was deleted. Wait for one to end, and call again."))
}

/// An answer of the server's own.
pub(super) fn failed(code: &str, status: u16, sentence: &str) -> Reply {
    Reply::Answered(Answer { failed: true, json: Refused::new(code, status, sentence).json().write() })
}

/// Stops a call that nobody waits for.
struct StopOnDrop(Option<Cancel>);

impl Drop for StopOnDrop {
    fn drop(&mut self) {
        if let Some(cancel) = &self.0 {
            cancel.cancel();
        }
    }
}
