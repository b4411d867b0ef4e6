//! Connections: how the pool makes them, who holds them, and the transactions that run on them.
//!
//! A transaction is one flight where that can be: `BEGIN`, the caller's settings, the statement and `COMMIT` are sent
//! together, and the server works them one after the other. Where one fails, the server refuses the rest and the
//! `COMMIT` ends the transaction without effect.

use std::future::Future;
use std::pin::Pin;
use std::time::{Duration, Instant};

use deadpool_postgres::{
    ClientWrapper, Hook, HookError, Manager, ManagerConfig, Object, Pool, PoolError, QueueMode, RecyclingMethod,
    Runtime, Timeouts,
};
use tokio_postgres::{Error, Row};
use tokio_postgres_rustls::MakeRustlsConnect;

use super::refusal;
use super::sql::Statement;
use crate::bridge::Failure;
use crate::bridge::defaults::FUNCTION_TIME;
use crate::config::PostgresConfig;

/// A connection that was idle for longer than this is asked whether it still stands before it is used.
const IDLE_TIME: Duration = Duration::from_secs(1);

/// How long a connection may take to be made, or to say that it still stands.
const CONNECT_TIME: Duration = Duration::from_secs(10);

/// How long the server has to say that a statement's time is over before nobody listens any more.
const GRACE: Duration = Duration::from_secs(1);

/// For reading: every statement sees the same state.
pub(super) const READ: &str = "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY";

/// For writing. The isolation is the database's own: its rules may depend on it.
pub(super) const WRITE: &str = "BEGIN";

/// The time of one function of the bridge.
#[derive(Clone, Copy)]
pub(super) struct Time {
    /// When it is over.
    until: Instant,
    /// When the server stops a statement.
    pub statement: Duration,
    statement_until: Instant,
}

impl Time {
    /// Begins now; an error where it is over already.
    pub fn begin(deadline: Option<Instant>, config: &PostgresConfig) -> Result<Time, Failure> {
        let now = Instant::now();
        let until = deadline.map_or(now + FUNCTION_TIME, |deadline| deadline.min(now + FUNCTION_TIME));
        let left = until.saturating_duration_since(now);
        if left.is_zero() {
            return Err(Failure::DeadlineExceeded);
        }
        let statement = left.min(config.statement_timeout);
        Ok(Time { until, statement, statement_until: now + statement })
    }

    /// Ends work that goes on for longer; a connection that it held goes with it. It is pinned where it was made: a
    /// future that is handed on is moved, and these are large.
    pub async fn limit<R>(&self, work: Pin<&mut impl Future<Output = Result<R, Failure>>>) -> Result<R, Failure> {
        match tokio::time::timeout_at((self.until + GRACE).into(), work).await {
            Ok(done) => done,
            Err(_) => Err(Failure::DeadlineExceeded),
        }
    }

    /// What an error means now.
    pub fn judge(&self, trouble: &Trouble) -> Failure {
        // The server's clock begins with each statement, so it is never before this one; its tick is a millisecond.
        refusal::of(trouble, Instant::now() + Duration::from_millis(5) >= self.statement_until)
    }
}

/// Where connections come from.
pub(super) struct Source {
    pool: Pool,
    tls: MakeRustlsConnect,
}

impl Source {
    pub fn new(
        config: tokio_postgres::Config,
        tls: MakeRustlsConnect,
        size: usize,
    ) -> Result<Source, deadpool_postgres::BuildError> {
        let recycling = ManagerConfig { recycling_method: RecyclingMethod::Fast };
        let manager = Manager::from_config(config, tls.clone(), recycling);
        let pool = Pool::builder(manager)
            .max_size(size)
            .queue_mode(QueueMode::Lifo)
            .runtime(Runtime::Tokio1)
            .pre_recycle(Hook::async_fn(|client: &mut ClientWrapper, metrics| {
                Box::pin(async move {
                    match metrics.last_used() > IDLE_TIME {
                        true => client.check_connection().await.map_err(HookError::Backend),
                        false => Ok(()),
                    }
                })
            }))
            .build()?;
        Ok(Source { pool, tls })
    }

    /// A connection that nobody else uses meanwhile.
    pub async fn lease(&self, time: &Time) -> Result<Lease, Failure> {
        let left = time.until.saturating_duration_since(Instant::now());
        let timeouts =
            Timeouts { wait: Some(left), create: Some(CONNECT_TIME.min(left)), recycle: Some(CONNECT_TIME.min(left)) };
        match self.pool.timeout_get(&timeouts).await {
            Ok(object) => Ok(Lease { object: Some(object), tls: self.tls.clone(), open: false }),
            Err(PoolError::Timeout(deadpool_postgres::TimeoutType::Wait)) => Err(refusal::busy()),
            Err(PoolError::Backend(error)) if error.code().is_some_and(|state| state.code() == "53300") => {
                tracing::error!(cause = refusal::chain(&error), "the server takes no more connections");
                Err(refusal::busy())
            }
            Err(error) => {
                tracing::error!(cause = refusal::chain(&error), "no connection");
                Err(Failure::Faulted("The database can't be reached.".to_owned()))
            }
        }
    }

    /// The first connection, for what is wrong with the address.
    pub async fn first(&self) -> Result<Lease, PoolError> {
        let timeouts = Timeouts { wait: Some(CONNECT_TIME), create: Some(CONNECT_TIME), recycle: Some(CONNECT_TIME) };
        let object = self.pool.timeout_get(&timeouts).await?;
        Ok(Lease { object: Some(object), tls: self.tls.clone(), open: false })
    }
}

/// Where a transaction failed.
#[derive(Debug)]
pub(super) enum Trouble {
    /// As it began, or with the caller's settings.
    Settings(Error),
    /// In a statement.
    Statement(Error),
    /// At its end: what was deferred was judged there.
    Commit(Error),
}

impl Trouble {
    pub fn error(&self) -> &Error {
        let (Trouble::Settings(error) | Trouble::Statement(error) | Trouble::Commit(error)) = self;
        error
    }
}

/// What a statement gave.
#[derive(Default)]
pub(super) struct Answer {
    pub rows: Vec<Row>,
    /// Rows changed, where that was asked for.
    pub count: u64,
}

/// A connection, and whether a transaction is open on it.
pub(super) struct Lease {
    object: Option<Object>,
    tls: MakeRustlsConnect,
    open: bool,
}

impl Lease {
    /// The connection itself.
    pub fn client(&self) -> &ClientWrapper {
        // It is taken only when the lease ends.
        self.object.as_ref().expect("a lease has its connection until it is dropped")
    }

    /// One flight: the transaction begins, and `first`, where there is one, and `last` run in it.
    pub async fn once(
        &mut self,
        begin: &str,
        settings: &mut Statement,
        first: Option<&mut Statement>,
        last: &mut Statement,
    ) -> Result<(Answer, Answer), Trouble> {
        let settings = self.ready(settings).await.map_err(Trouble::Settings)?;
        let first = match first {
            None => None,
            Some(first) => Some(self.ready(first).await.map_err(Trouble::Statement)?),
        };
        let last = self.ready(last).await.map_err(Trouble::Statement)?;
        self.open = true;
        let client = self.client();
        // Each is sent when it is first polled, in this order.
        let (begun, set, first, last, ended) = tokio::join!(
            biased;
            client.batch_execute(begin),
            send(settings, client),
            async {
                match first {
                    None => Ok(Answer::default()),
                    Some(first) => send(first, client).await,
                }
            },
            send(last, client),
            client.batch_execute("COMMIT"),
        );
        self.ended(&ended);
        begun.map_err(Trouble::Settings)?;
        set.map_err(Trouble::Settings)?;
        let answers = (first.map_err(Trouble::Statement)?, last.map_err(Trouble::Statement)?);
        ended.map_err(Trouble::Commit)?;
        Ok(answers)
    }

    /// Begins a transaction for several statements that each depend on what the one before gave.
    pub async fn begin(&mut self, begin: &str, settings: &mut Statement) -> Result<(), Trouble> {
        let settings = self.ready(settings).await.map_err(Trouble::Settings)?;
        self.open = true;
        let client = self.client();
        let (begun, set) = tokio::join!(biased; client.batch_execute(begin), send(settings, client));
        begun.map_err(Trouble::Settings)?;
        set.map(drop).map_err(Trouble::Settings)
    }

    /// Runs a statement of the transaction that is open.
    pub async fn run(&mut self, statement: &mut Statement) -> Result<Answer, Trouble> {
        let ready = self.ready(statement).await.map_err(Trouble::Statement)?;
        send(ready, self.client()).await.map_err(Trouble::Statement)
    }

    /// Ends the transaction that is open, if one is; what it changed is undone.
    pub async fn roll_back(&mut self) -> Result<(), Trouble> {
        if self.open {
            let ended = self.client().batch_execute("ROLLBACK").await;
            self.ended(&ended);
            ended.map_err(Trouble::Commit)?;
        }
        Ok(())
    }

    /// The server has answered the end of the transaction, with yes or no: either way it is over.
    fn ended(&mut self, ended: &Result<(), Error>) {
        self.open = !match ended {
            Ok(()) => true,
            Err(error) => error.as_db_error().is_some() && !error.is_closed(),
        };
    }

    /// The statement, prepared where the connection is to keep it.
    async fn ready<'s>(&self, statement: &'s mut Statement) -> Result<&'s Statement, Error> {
        let here = self.object.as_ref().map(Object::id);
        if statement.kept && statement.prepared.as_ref().map(|(there, _)| *there) != here {
            let types = statement.params.types();
            // Seldom needed, and large: what waits for each record stays small without it.
            let prepared = Box::pin(self.client().prepare_typed_cached(&statement.text, &types)).await?;
            statement.prepared = here.map(|here| (here, prepared));
        }
        Ok(statement)
    }
}

impl Drop for Lease {
    fn drop(&mut self) {
        if !self.open {
            return;
        }
        let Some(object) = self.object.take() else { return };
        // Nobody knows in which state it is, so the next caller must not have it.
        let client = Object::take(object);
        if !client.is_closed() {
            tracing::error!("a connection could not be reset, and is dropped");
        }
        let cancel = client.cancel_token();
        let tls = self.tls.clone();
        // What still runs there is stopped; where nothing can be spawned any more, the server's own timeouts stop it.
        if let Ok(runtime) = tokio::runtime::Handle::try_current() {
            runtime.spawn(async move {
                if let Err(error) = cancel.cancel_query(tls).await {
                    tracing::debug!(cause = refusal::chain(&error), "a statement could not be stopped");
                }
            });
        }
    }
}

/// Sends a statement that is ready.
async fn send(statement: &Statement, client: &ClientWrapper) -> Result<Answer, Error> {
    let values = statement.params.values();
    match &statement.prepared {
        Some((_, prepared)) if statement.counted => {
            Ok(Answer { rows: Vec::new(), count: client.execute(prepared, &values).await? })
        }
        Some((_, prepared)) => Ok(Answer { rows: client.query(prepared, &values).await?, count: 0 }),
        None => {
            let typed: Vec<_> = values.into_iter().zip(statement.params.types()).collect();
            Ok(Answer { rows: client.query_typed(&statement.text, &typed).await?, count: 0 })
        }
    }
}
