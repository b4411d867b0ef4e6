//! The component in its sandbox: loaded once, precompiled and pre-linked, and run in a fresh instance for
//! each call, under limits and under the guard (contract, section 11).
//!
//! Nothing of a call outlives it. A guest that traps, spins or takes too much costs its own call, whose
//! answer says what was deleted before; the next call has an instance of its own.
//!
//! wasmtime runs the guest on a fiber, and the fiber suspends at each bridge function (`exchange.rs`).

#[allow(missing_docs)]
mod bindings;
mod convert;
mod error;
mod exchange;
mod export;
mod instance;
mod limits;
mod request;
mod ticker;

use std::future::{Future, poll_fn};
use std::pin::pin;
use std::sync::Arc;
use std::task::Poll;

use delete_records::refused::Refused;
use delete_records::tools::{self, Scopes, Settings, Tool};
use wasmtime::component::{Component, HasSelf, Linker};
use wasmtime::{Config, Engine, Store, UpdateDeadline};

use crate::bridge::Bridge;
use crate::guard::Guard;
use bindings::{DeleteRecords, DeleteRecordsPre};
use exchange::{Slot, Stopwatch, Wish};
use instance::Instance;
use ticker::Ticker;

pub use error::{CallError, Limit, LoadError};
pub use limits::{ANSWER_BYTES, ARGUMENT_BYTES, Limits};
pub use request::{Approval, Asked, Cancel, Reply, Request};

/// The component that this library was built with.
pub const BUNDLED: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/delete-records.wasm"));

/// A component that is ready to be called, any number of times and at once. Clones share it.
#[derive(Clone)]
pub struct Plugin {
    // The order is that of dropping: nothing ticks for an engine that is gone.
    _ticker: Arc<Ticker>,
    pre: DeleteRecordsPre<Instance>,
    limits: Limits,
}

impl Plugin {
    /// Compiles and links a component. One that imports anything but the bridge is refused.
    pub fn load(component: &[u8], limits: Limits) -> Result<Plugin, LoadError> {
        let engine = Engine::new(&config()).map_err(LoadError::Component)?;
        // By name and to the last digit of its version, which wasmtime's linker does not insist on.
        crate::inspect::seal(component)?;
        let component = Component::from_binary(&engine, component).map_err(LoadError::Component)?;
        export::check(&engine, &component).map_err(LoadError::Export)?;
        let mut linker = Linker::new(&engine);
        bindings::deletegate::records::bridge::add_to_linker::<_, HasSelf<Instance>>(&mut linker, |instance| instance)
            .map_err(LoadError::Component)?;
        let pre = linker.instantiate_pre(&component).and_then(DeleteRecordsPre::new).map_err(LoadError::Component)?;
        let ticker = Ticker::start(&engine).map_err(LoadError::Clock)?;
        Ok(Plugin { _ticker: Arc::new(ticker), pre, limits })
    }

    /// The component that this library was built with, loaded.
    pub fn bundled(limits: Limits) -> Result<Plugin, LoadError> {
        Plugin::load(BUNDLED, limits)
    }

    /// What one call may cost. A bridge that can stop its engine is given `call_time` too: the plugin itself looks
    /// at the clock between the bridge's functions only.
    pub fn limits(&self) -> &Limits {
        &self.limits
    }

    /// What is wrong with the settings, one sentence each; empty where they can be used.
    pub async fn check_settings(&self, settings: &Settings) -> Result<Vec<String>, CallError> {
        let settings = convert::settings(settings);
        let run = self.run();
        run.without_bridge(async |guest, store| {
            guest.deletegate_records_tools().call_check_settings(store, &settings).await
        })
        .await
    }

    /// The tools that this caller may call, in a stable order.
    pub async fn list_tools(&self, settings: &Settings, scopes: Scopes) -> Result<Vec<Tool>, CallError> {
        let settings = convert::settings(settings);
        let scopes = convert::scopes(scopes);
        let run = self.run();
        let tools = run
            .without_bridge(async |guest, store| {
                guest.deletegate_records_tools().call_list_tools(store, &settings, scopes).await
            })
            .await?;
        Ok(tools.into_iter().map(convert::tool).collect())
    }

    /// Runs one call of a tool over the caller's bridge. Whatever goes wrong is an answer.
    pub async fn call(&self, bridge: &mut dyn Bridge, settings: &Settings, request: Request) -> Reply {
        if request.arguments.len() > self.limits.argument_bytes {
            return too_large(request.arguments.len(), self.limits.argument_bytes);
        }
        let mut guard = Guard::new(bridge, settings, &request, &self.limits);
        let call = convert::call(tools::Call {
            tool: request.tool.clone(),
            arguments: request.arguments.clone(),
            scopes: request.scopes,
            approval: request.approval.as_ref().map(|approval| tools::Approval {
                action: approval.action,
                typed: approval.typed.clone(),
                digest: approval.asked.digest().to_owned(),
            }),
        });
        let settings = convert::settings(settings);
        let outcome = self
            .run()
            .over(&mut guard, async |guest, store| {
                guest.deletegate_records_tools().call_call_tool(store, &settings, &call).await
            })
            .await;
        match outcome {
            Ok(outcome) => guard.conclude(convert::outcome(outcome)),
            Err(error) => guard.end(error),
        }
    }

    fn run(&self) -> Run<'_> {
        Run { plugin: self, wishes: Slot::new(), stopwatch: Stopwatch::new() }
    }
}

/// One instance, from its start to the guest's answer.
struct Run<'p> {
    plugin: &'p Plugin,
    wishes: Slot<Wish>,
    stopwatch: Stopwatch,
}

/// Where a guest that has been resumed comes to.
enum Stop<T> {
    /// It wants something of the bridge.
    At(Wish),
    /// It has ended.
    End(wasmtime::Result<T>),
}

impl Run<'_> {
    /// Runs an export whose bridge functions go through the guard.
    async fn over<T>(
        &self,
        guard: &mut Guard<'_>,
        export: impl AsyncFnOnce(DeleteRecords, &mut Store<Instance>) -> wasmtime::Result<T>,
    ) -> Result<T, CallError> {
        let mut guest = pin!(self.guest(export));
        loop {
            match self.resume(guest.as_mut()).await {
                Stop::At(wish) => grant(wish, guard).await?,
                Stop::End(result) => return result.map_err(|error| cause(&error)),
            }
        }
    }

    /// Runs an export that has no use for the bridge.
    async fn without_bridge<T>(
        &self,
        export: impl AsyncFnOnce(DeleteRecords, &mut Store<Instance>) -> wasmtime::Result<T>,
    ) -> Result<T, CallError> {
        match self.resume(pin!(self.guest(export))).await {
            Stop::At(_) => Err(CallError::Violation("tried to use the bridge outside a call")),
            Stop::End(result) => result.map_err(|error| cause(&error)),
        }
    }

    async fn guest<T>(
        &self,
        export: impl AsyncFnOnce(DeleteRecords, &mut Store<Instance>) -> wasmtime::Result<T>,
    ) -> wasmtime::Result<T> {
        let Plugin { pre, limits, .. } = self.plugin;
        let mut store = Store::new(pre.engine(), Instance::new(self.wishes.clone(), limits.memory_bytes));
        store.limiter(|instance| instance);
        store.set_hostcall_fuel(limits.handed_bytes);
        store.set_epoch_deadline(1);
        let (stopwatch, guest_time) = (self.stopwatch.clone(), limits.guest_time);
        store.epoch_deadline_callback(move |_| {
            let (stretch, in_all) = stopwatch.elapsed();
            if in_all > guest_time {
                return Err(CallError::Limit(Limit::Time).into());
            }
            // The epoch also advances while the guest waits for the bridge; only one that has been computing
            // for a whole tick is made to let others go first.
            Ok(if stretch < ticker::TICK { UpdateDeadline::Continue(1) } else { UpdateDeadline::Yield(1) })
        });
        let guest = pre.instantiate_async(&mut store).await?;
        export(guest, &mut store).await
    }

    async fn resume<T>(&self, mut guest: std::pin::Pin<&mut impl Future<Output = wasmtime::Result<T>>>) -> Stop<T> {
        poll_fn(|context| {
            self.stopwatch.resume();
            let polled = guest.as_mut().poll(context);
            self.stopwatch.suspend();
            match polled {
                Poll::Ready(result) => Poll::Ready(Stop::End(result)),
                // Pending without a wish: it yielded at a tick, and has woken itself.
                Poll::Pending => self.wishes.take().map_or(Poll::Pending, |wish| Poll::Ready(Stop::At(wish))),
            }
        })
        .await
    }
}

/// Has the guard answer what the guest wants; an error ends the call there.
async fn grant(wish: Wish, guard: &mut Guard<'_>) -> Result<(), CallError> {
    match wish {
        Wish::ResolvePrincipal { object, grant } => grant.put(guard.resolve_principal(&object).await),
        Wish::Query { object, selection, after, limit, grant } => {
            grant.put(guard.query(&object, &selection, after.as_deref(), limit).await);
        }
        Wish::Aggregate { object, selection, grant } => grant.put(guard.aggregate(&object, &selection).await),
        Wish::Remove { object, id, revision, grant } => {
            grant.put(guard.remove(&object, &id, revision.as_deref()).await);
        }
    }
    guard.ended().map_or(Ok(()), |error| Err(error.clone()))
}

/// Why the guest ended before its answer: the host's own limits carry a [`CallError`].
fn cause(error: &wasmtime::Error) -> CallError {
    if let Some(limit) = error.downcast_ref::<CallError>() {
        return limit.clone();
    }
    tracing::error!(cause = format!("{error:#}"), "the component failed");
    // wasmtime has no public type for this one. Were it renamed, the answer would be GUEST_FAILED.
    if format!("{:?}", error.root_cause()).contains("HostcallFuelExhausted") {
        return CallError::Limit(Limit::Bytes);
    }
    CallError::Failed
}

fn config() -> Config {
    let mut config = Config::new();
    config
        // Interrupts a guest that spins.
        .epoch_interruption(true)
        // The contract is synchronous; without the machinery for concurrent guests a call costs half.
        .concurrency_support(false);
    config
}

/// In the guest's own words: it would refuse them too, but only after they have been copied into its memory.
fn too_large(bytes: usize, limit: usize) -> Reply {
    let sentence = format!("The arguments have {bytes} bytes; at most {limit} are taken. Split the call.");
    Reply::Answered(tools::Answer { failed: true, json: Refused::invalid(sentence).json().write() })
}
