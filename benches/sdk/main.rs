//! Our client beside the official Python SDK, on one server, in one run: see `run.py`, which starts all of this.
//!
//! This program is the server (`server`) and our half of each comparison; `client.py` is the SDK's half. A half prints
//! one line of JSON: how many, how long, and what the process used.

mod clients;
mod server;

use std::process::ExitCode;

const USAGE: &str =
    "usage: server, or (spectate ID | balance COUNT | episode TICKS | batch ROUNDS) BASE_URL; see run.py";

fn main() -> ExitCode {
    let args: Vec<String> = std::env::args().skip(1).filter(|arg| arg != "--bench").collect();
    let args: Vec<&str> = args.iter().map(String::as_str).collect();
    let done = match args[..] {
        ["server"] => server::serve().map_err(Into::into),
        [what, how, base] => clients::run(what, how, base),
        // Also what a plain `cargo bench` does.
        _ => {
            println!("{USAGE}");
            Ok(())
        }
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}
