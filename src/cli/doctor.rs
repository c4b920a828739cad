//! `gert doctor`: is all right with this machine and the settings, and if not, what to do.
//!
//! ```text
//! collect ──▶ Facts ──▶ CHECKS: judge(&Facts) ──▶ Finding ──▶ report, --json, --bundle
//! ```
//!
//! [`collect`] looks at files, variables and the network and judges nothing; [`judge`] is pure. A check is a line in
//! [`CHECKS`]. Nothing is changed and nothing costs anything.

mod bundle;
mod certificate;
mod collect;
mod facts;
mod head;
mod judge;
mod redact;
mod report;

use std::io::IsTerminal;
use std::path::PathBuf;
use std::time::Duration;

use crate::config::Given;
use crate::ui::theme::{ColorDepth, Theme};

use self::collect::Collected;
use self::facts::Facts;
use self::judge::{Finding, Verdict};
use self::report::Look;
use super::{Failure, env, print};

/// What `gert doctor` takes.
#[derive(Debug, clap::Args)]
#[command(after_help = "The exit status is 1 if there is a problem, else 0; a warning is no problem.")]
pub(super) struct Args {
    /// Leave out what needs the network
    #[arg(long)]
    offline: bool,
    /// As JSON
    #[arg(long)]
    json: bool,
    /// Write a report for a bug report into this file as well: without keys, tokens, passwords and names
    #[arg(long, value_name = "FILE")]
    bundle: Option<PathBuf>,
    /// Let the bundle replace a file
    #[arg(long, requires = "bundle")]
    force: bool,
}

/// One thing that is looked at.
struct Check {
    name: &'static str,
    judge: fn(&Facts) -> Finding,
}

/// Everything that is looked at, in the order in which it is shown: what others depend on comes first.
const CHECKS: &[Check] = &[
    Check { name: "config", judge: judge::settings::config },
    Check { name: "profile", judge: judge::settings::profile },
    Check { name: "key", judge: judge::settings::key },
    Check { name: "keyring", judge: judge::settings::keyring },
    Check { name: "proxy", judge: judge::network::proxy },
    Check { name: "ca", judge: judge::network::authorities },
    Check { name: "host", judge: judge::network::host },
    Check { name: "clock", judge: judge::network::clock },
    Check { name: "account", judge: judge::network::account },
    Check { name: "websocket", judge: judge::network::websocket },
    Check { name: "terminal", judge: judge::machine::terminal },
    Check { name: "python", judge: judge::machine::python },
    Check { name: "disk", judge: judge::machine::disk },
    Check { name: "log", judge: judge::machine::log },
    Check { name: "ledger", judge: judge::machine::ledger },
    Check { name: "gert", judge: judge::machine::build },
];

/// Checks with what they found.
type Findings = Vec<(&'static str, Finding)>;

/// Does it; returns the exit status.
pub(super) async fn run(args: Args, given: Given) -> Result<i32, Failure> {
    if let Some(file) = args.bundle.as_deref().filter(|file| !args.force && file.symlink_metadata().is_ok()) {
        eprintln!("gert: `{}` is there already: `--force` replaces it", file.display());
        return Ok(2);
    }
    let collected = collect_patiently(given, args.offline).await;
    let findings = judged(&collected.facts);
    if args.json {
        print(&report::json(&findings))?;
    } else {
        print(&report::text(&findings, look()))?;
    }
    if let Some(file) = &args.bundle {
        bundle::write(file, args.force, &collected, &findings)
            .map_err(|why| format!("the bundle cannot be written to `{}`: {why}", file.display()))?;
        eprintln!("gert: the bundle is in `{}`: look through it before you send it", file.display());
    }
    Ok(i32::from(findings.iter().any(|(_, finding)| finding.verdict == Verdict::Problem)))
}

/// Says after a while what it waits for.
async fn collect_patiently(given: Given, offline: bool) -> Collected {
    const A_WHILE: Duration = Duration::from_millis(1500);
    let mut collecting = std::pin::pin!(collect::all(given, offline));
    if let Ok(collected) = tokio::time::timeout(A_WHILE, &mut collecting).await {
        return collected;
    }
    eprintln!("gert: waiting for answers, {} s at most", collect::LONGEST.as_secs());
    collecting.await
}

fn judged(facts: &Facts) -> Findings {
    CHECKS.iter().map(|check| (check.name, (check.judge)(facts))).collect()
}

/// How the report looks on standard output.
fn look() -> Look {
    let theme = Theme::detect(env);
    let is_terminal = std::io::stdout().is_terminal();
    let width = if is_terminal { usize::from(crate::runtime::terminal::size().width) } else { 80 };
    Look { width, ascii: theme.ascii, coloured: is_terminal && theme.depth != ColorDepth::None }
}

#[cfg(test)]
mod tests;
