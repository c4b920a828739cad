//! `gert policy check`: what is wrong with a policy, step by step, in words that its author can act on.

mod observations;
mod replay;
mod report;
mod steps;
mod talk;

use std::path::{Path, PathBuf};

use self::report::{Report, Step, Verdict};
use self::steps::Check;
use crate::cli::{Failure, print};
use crate::policy::{CommandLine, FLAGS, PolicySpec, end_marked};
use crate::text;

/// What `gert policy check` takes.
#[derive(Debug, clap::Args)]
#[command(after_help = flags())]
pub(in crate::cli) struct Args {
    /// Only observations of this game
    #[arg(long, value_name = "GAME")]
    game: Option<String>,
    /// The report as one JSON document
    #[arg(long)]
    json: bool,
    /// Only what this file holds, which an earlier check wrote
    #[arg(long, value_name = "FILE", conflicts_with = "game")]
    replay: Option<PathBuf>,
    /// Where the input of the first step that fails is written to
    #[arg(long, value_name = "DIR", default_value = ".")]
    save: PathBuf,
    /// Flags of the policy, then the command; as one text or as words
    #[arg(required = true, trailing_var_arg = true, allow_hyphen_values = true, value_name = "CMD")]
    command: Vec<String>,
}

fn flags() -> String {
    format!("Flags of a policy, before its command:\n  {}", FLAGS.replace('\n', "\n  "))
}

/// A policy as it stands on a command line: one text, which is split, or words, which are taken as they are.
pub(in crate::cli) fn spec(words: &[String]) -> Result<PolicySpec, String> {
    let spec = match words {
        [text] => PolicySpec::parse(text),
        words => PolicySpec::from_words(words.to_vec()),
    };
    spec.map_err(|why| why.to_string())
}

/// Checks it; the exit status is 0 for a sound policy, 1 for one with faults, 2 for what is none.
pub(super) async fn run(args: Args) -> Result<i32, Failure> {
    let checked = match spec(&args.command) {
        Ok(mut spec) => {
            let mark = format!("check-{}-{:08x}", std::process::id(), rand::random::<u32>());
            spec.mark = Some(mark.clone());
            let checked = check(&args, &spec).await;
            // What was left behind in a step that did not look for it.
            let ending = tokio::task::spawn_blocking(move || end_marked(&mark));
            ending.await.map_err(|why| why.to_string()).and(checked)
        }
        Err(why) => Err(why),
    };
    match checked {
        Ok(status) => Ok(status),
        Err(why) => {
            eprintln!("gert: {}", text::clean_lines(&why));
            Ok(2)
        }
    }
}

async fn check(args: &Args, spec: &PolicySpec) -> Result<i32, String> {
    let command = shown(&args.command);
    // A model is asked once or twice a game: each question takes its time, and may cost.
    let most = if spec.answers_in_text() { 1 } else { usize::MAX };
    let mut tell = |n: usize, step: &Step| {
        if !args.json && step.verdict != Verdict::Skipped {
            // The last step tells of a reader that went away.
            let _ = print(&step.lines(n));
        }
    };
    let report = if let Some(file) = &args.replay {
        replay::run(spec, file, &mut tell).await?
    } else {
        let matches = observations::games(args.game.as_deref(), most)?;
        let mut check = Check::new(spec, &matches, &mut tell);
        check.run().await;
        let failing = check.failing.take();
        let mut report = std::mem::take(&mut check.report);
        if let Some(failing) = failing {
            save(&args.save, &failing, &mut report);
        }
        report
    };
    tell_end(args, spec, &report, &command).map_err(|error| error.to_string())?;
    Ok(i32::from(report.count("FAIL") > 0))
}

/// Writes down the input of the step that failed.
fn save(folder: &Path, failing: &steps::Failing, report: &mut Report) {
    let Some(step) = report.steps.get_mut(failing.step) else { return };
    match replay::save(folder, step.name, failing) {
        Ok(path) => step.saved = Some(path.display().to_string()),
        Err(error) => eprintln!("gert: the input of the step that failed is not kept: {error}"),
    }
}

fn tell_end(args: &Args, spec: &PolicySpec, report: &Report, command: &str) -> Result<(), Failure> {
    let name = spec.name();
    if args.json {
        return print(&format!("{}\n", report.document(&name, &spec.argv())));
    }
    if report.count("-") > 0 && report.count("FAIL") > 0 {
        print("   the other steps are tried once this is right\n")?;
    }
    let saved = report.steps.iter().find_map(|step| step.saved.as_deref());
    if let Some(saved) = saved {
        let file = CommandLine { argv: vec![saved.to_owned()] };
        print(&format!("the failing input again: gert policy check --replay {file} {command}\n"))?;
    }
    print(&report.summary(&name))
}

/// The command so that a shell takes it apart in the same way.
fn shown(words: &[String]) -> String {
    CommandLine { argv: words.to_vec() }.to_string()
}
