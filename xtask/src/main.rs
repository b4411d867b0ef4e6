//! `cargo xtask COMMAND`: everything that building, showing and testing this repository takes.
//!
//! A fresh clone needs Rust and the package registries and nothing else: each command does its own
//! set-up and says what it does.

#![forbid(unsafe_code)]

mod bench;
mod clients;
mod component;
mod debian;
mod demo;
mod install;
mod js;
mod playground;
mod postgres;
mod reproducible;
mod run;
mod sealed;
mod test;

use std::process::ExitCode;

use clap::Parser;

#[derive(Parser)]
#[command(name = "cargo xtask", bin_name = "cargo xtask", about, version)]
enum Command {
    Component(component::Args),
    Demo(demo::Args),
    Test(test::Args),
    Bench(bench::Args),
    Js(js::Args),
    Playground(playground::Args),
}

fn main() -> ExitCode {
    let done = match Command::parse() {
        Command::Component(args) => component::run(&args),
        Command::Demo(args) => demo::run(&args),
        Command::Test(args) => test::run(&args),
        Command::Bench(args) => bench::run(&args),
        Command::Js(args) => js::run(&args),
        Command::Playground(args) => playground::run(&args),
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            // The sentences alone: a stack of this program's calls helps nobody mend a build.
            eprintln!("error: {error:#}");
            ExitCode::FAILURE
        }
    }
}
