//! `deletegate serve`: the tools as an MCP server.

use std::net::SocketAddr;

use anyhow::{Context, Result, bail};
use deletegate::approval::seal::{Seal, SealingKey};
use deletegate::approval::spent::{Spent, StoreAddress};
use deletegate::config::McpConfig;
use deletegate::identity::{Credentials, Tokens};
use deletegate::mcp::{Handler, Server, http, stdio};
use deletegate::tools::Scopes;
use tokio::net::TcpListener;
use tokio::runtime::Runtime;
use tokio::signal::unix::{SignalKind, signal};
use tokio_util::sync::CancellationToken;

use super::Ended;
use super::access::{Access, Prepared};

/// The sealing key, where the configuration names no file.
const SEALING_KEY: &str = "DELETEGATE_SEALING_KEY";

/// Serve the tools over MCP, to one client over stdio or to many over HTTP.
///
/// Over stdio every call is --actor's. Over HTTP each request says by its bearer token who is calling ([auth] in the
/// configuration); a request without one sees no tools. SIGTERM and Ctrl-C stop politely: calls in flight finish their
/// current record and report.
#[derive(clap::Args)]
#[command(group(clap::ArgGroup::new("transport").required(true).multiple(true).args(["stdio", "http"])))]
pub struct Args {
    /// Serve the client that has started this program, over standard input and output.
    #[arg(long)]
    stdio: bool,
    /// Serve streamable HTTP at this address, path /mcp: for example 127.0.0.1:8484.
    #[arg(long, value_name = "ADDR")]
    http: Option<SocketAddr>,
    #[command(flatten)]
    access: Access,
}

/// Runs the command.
pub fn run(args: &Args) -> Result<Ended> {
    let runtime = Runtime::new().context("no runtime can be started")?;
    let served = runtime.block_on(serve(args));
    // A read of standard input can't be called off.
    runtime.shutdown_background();
    served.map(|()| Ended::Well)
}

async fn serve(args: &Args) -> Result<()> {
    let Prepared { plugin, settings, caller, database, mut config } = args.access.prepare().await?;
    let reach = std::mem::take(&mut config.mcp.reach);
    let server = Server::new(plugin, database, settings, seal(&config.mcp).await?, config.mcp.limits.clone());
    let (asked_to_stop, ended) = (CancellationToken::new(), CancellationToken::new());
    stop_on_signals(asked_to_stop.clone())?;

    let mut transports = tokio::task::JoinSet::new();
    if let Some(address) = args.http {
        let Some(rules) = config.tokens else {
            bail!(
                "over HTTP a token says who is calling, and no token can be checked: give [auth] in the file of --config, \
                 for example\n\n  [auth]\n  issuer = \"https://id.example.com\"\n  audience = \"http://{address}{}\"\n  \
                 jwks = \"jwks.json\"   # or secret = \"token.secret\", for `deletegate token`\n",
                http::PATH
            );
        };
        let tokens = Tokens::open(rules)?;
        let listener = TcpListener::bind(address).await.with_context(|| format!("{address} can't be listened on"))?;
        eprintln!("deletegate listens on http://{}{}", listener.local_addr()?, http::PATH);
        let (handler, ended) = (Handler::of_requests(server.clone()), ended.clone());
        let stop = async move { ended.cancelled().await };
        transports
            .spawn(async { http::serve(listener, handler, Some(tokens), reach, stop).await.context("HTTP ended") });
    }
    if args.stdio {
        if caller.is_anonymous() {
            eprintln!("deletegate: no call will be answered: say who is calling with --actor ID");
        }
        let credentials = Credentials { caller, scopes: Scopes::DATA_READ | Scopes::DATA_WRITE };
        // A child: the library cancels its own token when the client goes.
        let (handler, ended) = (Handler::of(server.clone(), credentials), ended.child_token());
        let (input, output) = (tokio::io::stdin(), tokio::io::stdout());
        transports.spawn(async { stdio::serve(handler, input, output, ended).await.context("no session began") });
    } else if args.access.actor.is_some() || args.access.system {
        bail!("--actor and --system are for stdio: over HTTP each request's token says who is calling");
    }

    // HTTP goes on when the client at standard input has gone.
    let mut first = None;
    while let Some(joined) = tokio::select! {
        joined = transports.join_next() => joined,
        () = asked_to_stop.cancelled() => None,
    } {
        let ended: Result<()> = joined.context("a transport failed")?;
        if ended.is_err() {
            first = Some(ended);
            break;
        }
    }
    server.stop().await;
    ended.cancel();
    while transports.join_next().await.is_some() {}
    first.unwrap_or(Ok(()))
}

/// What seals questions, and where those that have been answered are kept.
async fn seal(config: &McpConfig) -> Result<Seal> {
    let key = match (&config.sealing_key, std::env::var(SEALING_KEY)) {
        (Some(path), _) => SealingKey::read(path)?,
        (None, Ok(text)) => SealingKey::new(&text).context(SEALING_KEY)?,
        (None, Err(_)) => {
            if config.spent_questions != StoreAddress::Memory {
                eprintln!(
                    "deletegate: `spent-questions` is shared, but each server makes its own key: give `sealing-key` too"
                );
            }
            SealingKey::fresh()?
        }
    };
    Ok(Seal::new(&key, Spent::open(&config.spent_questions).await?, config.limits.question_life))
}

fn stop_on_signals(stop: CancellationToken) -> Result<()> {
    let mut terminate = signal(SignalKind::terminate()).context("SIGTERM can't be handled")?;
    tokio::spawn(async move {
        tokio::select! {
            _ = terminate.recv() => {}
            _ = tokio::signal::ctrl_c() => {}
        }
        stop.cancel();
    });
    Ok(())
}
