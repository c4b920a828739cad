//! `gert record`: what was recorded, and what can be done with it. No key and no network is needed.

mod cast;
mod compare;
mod export;
mod list;
mod words;

use std::io;
use std::path::{Path, PathBuf};

use serde_json::json;

use crate::config::{Config, Given};
use crate::tape::{self, Keep, library};

use self::export::Export;
use super::twin::output;
use super::{Failure, load};

#[derive(Debug, clap::Subcommand)]
pub(super) enum Action {
    /// The recordings, newest first
    Ls {
        #[command(flatten)]
        form: Form,
        /// One item a line
        #[arg(long, conflicts_with = "json")]
        jsonl: bool,
    },
    /// One recording: what it came to, its notes and its markers
    Show {
        #[command(flatten)]
        which: Which,
        #[command(flatten)]
        form: Form,
    },
    /// Write a recording for other programs: JSON lines, CSV of the scores, or a film of the screen
    Export(Export),
    /// Where two recordings differ: the first tick at which a seat saw or did something else
    Compare {
        /// The one
        #[arg(value_name = "FILE|ID")]
        a: String,
        /// The other
        #[arg(value_name = "FILE|ID")]
        b: String,
        #[command(flatten)]
        form: Form,
    },
    /// Remove the oldest recordings until all take no more than the limit; those with notes go last
    Prune {
        /// The limit in MiB [default: `recordings.total_mib` of the settings]
        #[arg(long, value_name = "N")]
        total_mib: Option<u64>,
        /// Only say what would be removed
        #[arg(long)]
        dry_run: bool,
        #[command(flatten)]
        form: Form,
    },
}

/// A recording.
#[derive(Debug, clap::Args)]
pub(super) struct Which {
    /// Its file, its session's id, or the beginning of either
    #[arg(value_name = "FILE|ID")]
    name: String,
}

/// The form of an answer.
#[derive(Debug, Clone, Copy, clap::Args)]
pub(super) struct Form {
    /// One JSON document on stdout and nothing else
    #[arg(long)]
    json: bool,
}

/// Why a command did not do what it was asked.
#[derive(Debug)]
pub(super) enum Failed {
    /// There is no such recording.
    NotFound(String),
    /// What was asked for makes no sense.
    Usage(String),
    /// Something on this machine.
    Local(String),
    /// The reader of stdout went away.
    Pipe,
}

impl Failed {
    /// A recording that cannot be read.
    pub(super) fn of(file: &Path, why: &io::Error) -> Self {
        match why.kind() {
            io::ErrorKind::BrokenPipe => Self::Pipe,
            io::ErrorKind::NotFound => Self::NotFound(format!("`{}` is not there", file.display())),
            _ => Self::Local(format!("`{}`: {why}", file.display())),
        }
    }

    /// Says it on stderr; gives the exit status.
    pub(super) fn tell(&self, as_json: bool) -> i32 {
        let (kind, why, status) = match self {
            Self::NotFound(why) => ("not_found", why, 3),
            Self::Usage(why) => ("usage", why, 2),
            Self::Local(why) => ("local", why, 1),
            Self::Pipe => return 0,
        };
        if as_json {
            let document = json!({"error": {"kind": kind, "code": null, "status": null, "message": why,
                "request_id": null, "body": null, "billed": "no", "retry": false}});
            eprintln!("{document}");
        } else {
            output::say(why);
        }
        status
    }
}

type Done = Result<(), Failed>;

/// Runs the command; gives the exit status.
pub(super) async fn run(action: Action, given: Given) -> Result<i32, Failure> {
    let as_json = match &action {
        Action::Ls { form, jsonl } => form.json || *jsonl,
        Action::Show { form, .. } | Action::Compare { form, .. } | Action::Prune { form, .. } => form.json,
        Action::Export(_) => false,
    };
    let limit = match &action {
        Action::Prune { total_mib: None, .. } => {
            load(given, Config::load_without_key).await?.recordings.total_mib
        }
        Action::Prune { total_mib: Some(limit), .. } => *limit,
        _ => 0,
    };
    // All of it is files.
    let done = tokio::task::spawn_blocking(move || match action {
        Action::Ls { form, jsonl } => list::all(form.json, jsonl),
        Action::Show { which, form } => list::one(&find(&which.name)?, form.json),
        Action::Export(export) => export.run(),
        Action::Compare { a, b, form } => compare::run(&find(&a)?, &find(&b)?, form.json),
        Action::Prune { dry_run, form, .. } => list::prune(limit, dry_run, form.json),
    })
    .await?;
    Ok(done.map_or_else(|why| why.tell(as_json), |()| 0))
}

/// Prints on stdout.
fn print(text: &str) -> Done {
    super::print(text).map_err(|why| Failed::Local(why.to_string()))
}

/// The folder of recordings.
fn folder() -> Result<PathBuf, Failed> {
    tape::folder().ok_or_else(|| Failed::Local("there is no home folder, so there are no recordings".into()))
}

/// The recording that a name means.
pub(super) fn find(name: &str) -> Result<PathBuf, Failed> {
    let folder = tape::folder();
    let place = || folder.clone().unwrap_or_default();
    let listed = |names: &[String]| {
        names.iter().flat_map(|name| ["\n  ".into(), crate::text::clean(name)]).collect::<String>()
    };
    match library::find(folder.as_deref(), name).map_err(|why| Failed::of(&place(), &why))? {
        library::Meant::File(file) => Ok(file),
        library::Meant::Several(names) => {
            Err(Failed::Usage(format!("`{name}` may mean several recordings:{}", listed(&names))))
        }
        library::Meant::None(near) if near.is_empty() => Err(Failed::NotFound(format!(
            "there is no recording `{name}`: `gert record ls` lists those in `{}`",
            place().display()
        ))),
        library::Meant::None(near) => {
            Err(Failed::NotFound(format!("there is no recording `{name}`; named alike:{}", listed(&near))))
        }
    }
}

/// How recordings are kept by these settings; nothing where there is no home folder.
pub(super) fn keep(config: &Config) -> Option<Keep> {
    let recordings = config.recordings;
    Some(Keep {
        folder: tape::folder()?,
        enabled: recordings.enabled,
        most_bytes: recordings.max_mib << 20,
        total_bytes: recordings.total_mib << 20,
        compress: recordings.compress,
        tidies: true,
    })
}
