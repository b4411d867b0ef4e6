//! Progress notifications, for a call that asked for them.

use rmcp::model::{ProgressNotificationParam, ProgressToken};
use rmcp::{Peer, RoleServer};
use tokio::sync::watch;

use super::limits::PROGRESS_INTERVAL;

/// Which removal it is, and of how many.
pub type Step = (u64, u64);

/// Where a running call says how far it is. It never waits: only the latest step is kept.
pub type Sender = watch::Sender<Step>;

/// Tells the client how far the call is until the sender is gone, the last step in any case.
pub async fn tell(peer: Peer<RoleServer>, token: ProgressToken, mut steps: watch::Receiver<Step>) {
    let mut told = 0;
    let mut going = true;
    while going {
        going = steps.changed().await.is_ok();
        let (attempted, of) = *steps.borrow_and_update();
        if attempted > told {
            told = attempted;
            #[expect(clippy::cast_precision_loss, reason = "at most 1000, the largest cap")]
            let param = ProgressNotificationParam::new(token.clone(), attempted as f64).with_total(of as f64);
            if peer.notify_progress(param).await.is_err() {
                return;
            }
            if going {
                tokio::time::sleep(PROGRESS_INTERVAL).await;
            }
        }
    }
}
