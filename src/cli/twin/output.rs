//! Where answers go: stdout, as JSON as it came or in a form for people. A closed pipe is a quiet end.

use std::io::{self, IsTerminal, Write};

use clap::ArgMatches;

use super::failure::Failure;
use super::method::View;
use super::show;
use crate::api::model::Json;
use crate::text;

/// In which form.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::cli) enum Output {
    /// Tables and lines that fit the width of the terminal.
    People,
    /// One document.
    Json,
    /// One item a line.
    JsonLines,
}

impl Output {
    /// What the flags ask for.
    pub(super) fn of(args: &ArgMatches) -> Self {
        let flag = |name| args.try_get_one::<bool>(name).ok().flatten() == Some(&true);
        match (flag("json"), flag("jsonl")) {
            (true, _) => Self::Json,
            (_, true) => Self::JsonLines,
            _ => Self::People,
        }
    }

    /// True when stdout is for programs.
    pub(super) fn is_json(self) -> bool {
        self != Self::People
    }

    /// Prints one answer.
    pub(super) fn answer(self, view: View, answer: &Json) -> Result<(), Failure> {
        match self {
            Self::People => print(&show::answer(view, answer, width())),
            Self::Json => print_line(answer.get()),
            // A list is one item a line also where it is an answer of its own.
            Self::JsonLines => match answer.decode::<Vec<Json>>() {
                Ok(items) => items.iter().try_for_each(|item| print_line(item.get())),
                Err(_) => print_line(answer.get()),
            },
        }
    }

    /// Starts a list, whose rows come one after the other.
    pub(super) fn rows(self, view: View) -> Rows {
        Rows { output: self, view, kept: Vec::new(), printed: 0 }
    }
}

/// A list that is being printed.
pub(super) struct Rows {
    output: Output,
    view: View,
    kept: Vec<Json>,
    printed: usize,
}

impl Rows {
    /// Takes the next row.
    pub(super) fn push(&mut self, row: Json) -> Result<(), Failure> {
        match self.output {
            // The widths of a table are known at its end.
            Output::People => self.kept.push(row),
            Output::JsonLines => print_line(row.get())?,
            Output::Json => print(&format!("{}{}", if self.printed == 0 { "[" } else { ",\n " }, row.get()))?,
        }
        self.printed += 1;
        Ok(())
    }

    /// Ends the list.
    pub(super) fn end(self) -> Result<(), Failure> {
        match self.output {
            Output::People => print(&show::rows(self.view, &self.kept, width())),
            Output::JsonLines => Ok(()),
            Output::Json => print(if self.printed == 0 { "[]\n" } else { "]\n" }),
        }
    }
}

/// Says something to people: on stderr, cleaned, never on stdout.
pub(in crate::cli) fn say(words: &str) {
    say_raw(&format!("gert: {}", text::clean_lines(words)));
}

/// A line on stderr as it is. That nobody reads it is no failure.
pub(super) fn say_raw(line: &str) {
    let _ = writeln!(io::stderr(), "{line}");
}

/// Prints a line on stdout as it is.
pub(in crate::cli) fn print_line(line: &str) -> Result<(), Failure> {
    print(&format!("{line}\n"))
}

/// Prints on stdout as it is.
pub(in crate::cli) fn print(words: &str) -> Result<(), Failure> {
    let mut stdout = io::stdout().lock();
    stdout.write_all(words.as_bytes()).and_then(|()| stdout.flush()).map_err(|error| match error.kind() {
        io::ErrorKind::BrokenPipe => Failure::Pipe,
        _ => Failure::Local(format!("stdout cannot be written: {error}")),
    })
}

/// How wide a table may be: as the terminal, if stdout is one; files get whole texts.
pub(super) fn width() -> Option<usize> {
    if !io::stdout().is_terminal() {
        return None;
    }
    let columns = std::env::var("COLUMNS").ok().and_then(|text| text.parse().ok());
    let size = || crossterm::terminal::size().ok().map(|(columns, _)| usize::from(columns));
    columns.or_else(size).filter(|columns| *columns > 0).or(Some(80))
}
