//! What users read of the command line, as snapshots: a change of it is seen in review.
#![cfg(feature = "arena")]

use clap::Command;
use clap_mangen::Man;

use super::command;
use crate::cli::twin;

/// The long help of a command, by its path, for a terminal of eighty columns.
fn help(path: &[&str]) -> String {
    let mut command = command().term_width(80);
    command.build();
    let mut found = &mut command;
    for name in path {
        found = found.find_subcommand_mut(name).expect("a command of this name");
    }
    clean(&found.clone().term_width(80).render_long_help().to_string())
}

/// Without what editors would take away from a snapshot, and what each release changes.
fn clean(text: &str) -> String {
    let lines = text.lines().map(str::trim_end).collect::<Vec<_>>().join("\n");
    lines.replace(env!("CARGO_PKG_VERSION"), "VERSION")
}

#[test]
fn the_help_of_the_program() {
    insta::assert_snapshot!(help(&[]));
}

#[test]
fn the_help_of_a_command_of_the_twin() {
    insta::assert_snapshot!(help(&["play", "create"]));
}

#[test]
fn the_help_of_the_doctor() {
    insta::assert_snapshot!(help(&["doctor"]));
}

#[test]
fn every_command_of_the_twin() {
    let about = |command: &Command| command.get_about().map(ToString::to_string).unwrap_or_default();
    let line =
        |indent: &str, command: &Command| format!("{indent}{}: {}", command.get_name(), about(command));
    let mut lines = Vec::new();
    for resource in twin::commands() {
        lines.push(line("", &resource));
        lines.extend(resource.get_subcommands().map(|method| line("    ", method)));
    }
    insta::assert_snapshot!(lines.join("\n"));
}

#[test]
fn the_manual_page() {
    let mut page = Vec::new();
    Man::new(command()).render(&mut page).expect("written to memory");
    insta::assert_snapshot!(clean(&String::from_utf8(page).expect("text")));
}
