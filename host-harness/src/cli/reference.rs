//! The reference of the command line, made from the parser and committed: `docs/cli.md`.

use std::fmt::Write;
use std::path::Path;

use clap::CommandFactory;
use deletegate::config;

use super::Command;

/// Every command's help as Markdown.
fn commands() -> String {
    let mut text = String::from(
        "# Command line\n\nAnswers go to standard output, all else to standard error. Exit code 0: answered; 1: a failed answer, or a\n\
         configuration that can't be used; 2: wrong use, and nothing was tried.\n\nThis page is made from the program.\n",
    );
    let mut program = Command::command();
    program.build();
    for command in program.get_subcommands_mut().filter(|command| command.get_name() != "help") {
        let name = command.get_name().to_owned();
        let help = command.clone().term_width(100).render_long_help().to_string();
        let help: Vec<&str> = help.lines().map(str::trim_end).collect();
        // Writing to a string has no way to fail.
        let _ = write!(text, "\n## deletegate {name}\n\n```text\n{}\n```\n", help.join("\n").trim_end());
    }
    text
}

/// Compares a page of `docs/` with what the code says; `BLESS=1` writes it.
fn check(page: &str, text: &str) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs").join(page);
    if std::env::var_os("BLESS").is_some_and(|value| value == "1") {
        std::fs::write(&path, text).unwrap();
    }
    let written = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(written == text, "docs/{page} is stale; BLESS=1 writes it");
}

#[test]
fn the_reference_of_the_command_line_is_up_to_date() {
    check("cli.md", &commands());
}

#[test]
fn the_reference_of_the_configuration_is_up_to_date() {
    check("configuration.md", &config::reference());
}
