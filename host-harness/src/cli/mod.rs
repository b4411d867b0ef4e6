//! The command line: one file for each command, and what they share.
//!
//! Answers go to standard output, all else to standard error. Exit code 0: answered; 1: a failed answer;
//! 2: wrong use or configuration, and nothing was tried.

mod access;
mod call;
mod configure;
mod delete;
mod demo;
mod explain;
mod inspect;
mod progress;
#[cfg(test)]
mod reference;
mod schema;
mod serve;
mod show;
mod token;
mod tools;
mod validate;

use std::process::ExitCode;

use clap::Parser;
use tracing_subscriber::EnvFilter;

/// Lets AI agents delete records without trusting them with a database.
#[derive(Parser)]
#[command(name = "deletegate", version, max_term_width = 100)]
enum Command {
    Demo(demo::Args),
    Call(call::Args),
    Delete(delete::Args),
    Inspect(inspect::Args),
    Serve(serve::Args),
    Token(token::Args),
    Tools(tools::Args),
    Configure(configure::Args),
    Validate(validate::Args),
    Explain(explain::Args),
    Schema(schema::Args),
}

/// How a command ended.
pub enum Ended {
    /// Answered.
    Well,
    /// With a failed answer, which has been shown.
    Failed,
}

/// Runs the program.
pub fn main() -> ExitCode {
    let command = Command::parse();
    // What went wrong inside an engine is in the log alone; `RUST_LOG` says how much of it. A server logs each call.
    let level = if matches!(command, Command::Serve(_)) { "error,deletegate=info" } else { "error" };
    let filter = EnvFilter::try_from_default_env().unwrap_or_else(|_| EnvFilter::new(level));
    tracing_subscriber::fmt().with_env_filter(filter).with_writer(std::io::stderr).with_ansi(false).init();
    let ended = match command {
        Command::Demo(args) => demo::run(&args),
        Command::Call(args) => call::run(&args),
        Command::Delete(args) => delete::run(&args),
        Command::Inspect(args) => inspect::run(&args),
        Command::Serve(args) => serve::run(&args),
        Command::Token(args) => token::run(&args),
        Command::Tools(args) => tools::run(&args),
        Command::Configure(args) => configure::run(&args),
        Command::Validate(args) => validate::run(&args),
        Command::Explain(args) => explain::run(&args),
        Command::Schema(args) => schema::run(&args),
    };
    match ended {
        Ok(Ended::Well) => ExitCode::SUCCESS,
        Ok(Ended::Failed) => ExitCode::FAILURE,
        Err(error) => {
            eprintln!("error: {error:#}");
            ExitCode::from(2)
        }
    }
}
