//! `deletegate token`: a bearer token for trying a server out.

use std::path::PathBuf;
use std::time::Duration;

use anyhow::{Context, Result, bail};
use deletegate::config::Config;
use deletegate::identity::Caller;
use deletegate::identity::token::{SCOPES, issue};

use super::Ended;

/// Print a bearer token for one user, signed with the shared secret of [auth]. An identity provider signs its own.
#[derive(clap::Args)]
pub struct Args {
    /// The user's id, as the rules of the database know it.
    #[arg(long, value_name = "ID")]
    actor: String,
    /// The configuration file of the server.
    #[arg(long, value_name = "FILE")]
    config: PathBuf,
    /// What it lets the user do, with spaces between.
    #[arg(long, default_value = SCOPES)]
    scopes: String,
    /// How long it is good for, in minutes.
    #[arg(long, default_value_t = 60, value_parser = clap::value_parser!(u64).range(1..=525_600))]
    minutes: u64,
}

/// Runs the command.
pub fn run(args: &Args) -> Result<Ended> {
    let config = Config::load(&args.config)?;
    let rules = config.tokens.with_context(|| format!("{} has no [auth]", args.config.display()))?;
    if Caller::new(Some(&args.actor), false).is_anonymous() {
        bail!("--actor {:?} names nobody", args.actor);
    }
    println!("{}", issue(&rules, &args.actor, &args.scopes, Duration::from_secs(args.minutes * 60))?);
    Ok(Ended::Well)
}
