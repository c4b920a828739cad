//! Commands that take a while, with their progress on stderr: waiting for a job, downloading an export.

use std::path::{Path, PathBuf};
use std::time::Duration;

use futures_util::FutureExt;
use futures_util::future::BoxFuture;
use indicatif::{ProgressBar, ProgressStyle};

use super::failure::Failure;
use super::method::{Column, Method, View, number, text};
use super::{Context, output};
use crate::api::endpoints::ForkBatch;
use crate::api::model::{Extra, Job, JobId, Json};
use crate::api::{
    DownloadProgress, Downloaded, Endpoint, Field, Kind, Patience, Place, Request, WaitEvent, WaitOptions,
};
use crate::rollout;
use crate::text as words;

const JOB: Field = Field { name: "job_id", about: "Which job.", kind: Kind::Text, place: Place::Path };

/// `gert jobs wait`.
pub(super) const WAIT: Method = Method {
    name: "wait",
    operation: "jobs.wait",
    about: "Waits until a job has ended and prints it.\n\n\
            A failed poll does not end the wait: it goes on with growing pauses and gives up after ten failures in a \
            row or ten minutes without an answer. Exit status: 0 it completed, 8 it failed or was cancelled, 9 the \
            time is over, 10 the watch was lost, 1 it ended in a way that is not known.",
    fields: &[
        JOB,
        Field {
            name: "interval",
            about: "Seconds between two polls, 2 unless set.",
            kind: Kind::Number,
            place: Place::Optional,
        },
        Field {
            name: "timeout",
            about: "Seconds to wait in all, 3600 unless set; with 0 it is asked once.",
            kind: Kind::Number,
            place: Place::Optional,
        },
        Field {
            name: "strict",
            about: "End with the first failed poll, as the Python SDK does.",
            kind: Kind::Bool,
            place: Place::Optional,
        },
    ],
    more: &[],
    view: View::Record,
    pages: false,
    watch: false,
    run: wait,
};

/// `gert exports download-files`.
pub(super) const DOWNLOAD: Method = Method {
    name: "download-files",
    operation: "exports.download",
    about: "Downloads the files of an export into a folder and prints where they are.\n\n\
            A file gets its name when it is complete; an older one of the same name stays until then. The key is \
            never sent to the host of the files.",
    fields: &[
        JOB,
        Field {
            name: "dest_dir",
            about: "The folder, this one unless set; it is made if it is not there.",
            kind: Kind::Text,
            place: Place::Optional,
        },
    ],
    more: &[],
    view: View::Table(FILES),
    pages: false,
    watch: false,
    run: download,
};

/// `gert rollout-runs fork-batch`.
pub(super) const FORK_BATCH: Method = Method {
    name: "fork-batch",
    operation: ForkBatch::OPERATION,
    about: ForkBatch::ABOUT,
    fields: ForkBatch::FIELDS,
    more: &[],
    view: View::Table(FORKS),
    pages: false,
    watch: false,
    run: fork_batch,
};

const FORKS: &[Column] =
    &[text(&["episode_id"]), number(&["tick"]), text(&["on_turn_seats"]), text(&["done"])];

const FILES: &[Column] = &[text(&["path"]), number(&["bytes"]), number(&["records"])];

/// The longest time that a number of seconds may ask for.
const LONGEST: f64 = 1e9;

fn seconds(members: &Extra, name: &str, otherwise: Duration) -> Result<Duration, Failure> {
    match members.decode::<f64>(name) {
        None => Ok(otherwise),
        Some(seconds) if (0.0..=LONGEST).contains(&seconds) => Ok(Duration::from_secs_f64(seconds)),
        Some(_) => Err(Failure::Usage(format!("--{name} takes a number of seconds from 0"))),
    }
}

fn wait<'a>(context: &'a Context, method: &'a Method, members: Extra) -> BoxFuture<'a, Result<(), Failure>> {
    async move {
        let id: JobId = members.decode("job_id").unwrap_or_default();
        let strict: bool = members.decode("strict").unwrap_or_default();
        let usual = WaitOptions::default();
        let options = WaitOptions {
            interval: seconds(&members, "interval", usual.interval)?,
            timeout: Some(seconds(&members, "timeout", usual.timeout.unwrap_or_default())?),
            patience: (!strict).then(Patience::default),
        };
        let bar = bar(context);
        let job = context.client()?.wait_job(&id, options, |event| tell(&bar, &event)).await;
        bar.finish_and_clear();
        context.output.answer(method.view, &json(&job?)?)
    }
    .boxed()
}

/// A line on stderr that is drawn over, where stderr is a terminal; nothing elsewhere.
fn bar(context: &Context) -> ProgressBar {
    if context.output.is_json() {
        return ProgressBar::hidden();
    }
    let style =
        ProgressStyle::with_template("{spinner} {wide_msg} {elapsed}").expect("the template is well formed");
    let bar = ProgressBar::new_spinner().with_style(style);
    bar.enable_steady_tick(Duration::from_millis(250));
    bar
}

fn tell(bar: &ProgressBar, event: &WaitEvent<'_>) {
    match event {
        WaitEvent::Answered { job } => bar.set_message(state(job)),
        WaitEvent::Failed { error, failures, age, next } => {
            let age = age.map_or(String::new(), |age| {
                format!("; the last answer is {} old", words::duration(age.as_secs_f64()))
            });
            let line = format!(
                "{error}: {} ({failures} in a row{age}); asking again in {:.1} s",
                error.why(),
                next.as_secs_f32()
            );
            bar.suspend(|| output::say(&line));
        }
    }
}

/// A job on one line: its state and how far it says it is.
fn state(job: &Job) -> String {
    let id = job.job_id.as_ref().map(JobId::as_str).unwrap_or_default();
    let progress = job.progress.as_ref().map(|json| format!(", {}", json.get())).unwrap_or_default();
    words::excerpt(&format!("job {id}: {}{progress}", job.status), 200).into_owned()
}

fn fork_batch<'a>(
    context: &'a Context,
    method: &'a Method,
    members: Extra,
) -> BoxFuture<'a, Result<(), Failure>> {
    async move {
        let request = ForkBatch::from_members(members).map_err(Failure::Usage)?;
        let forks = rollout::fork_batch(context.client()?, &request).await?;
        context.output.answer(method.view, &json(&forks)?)
    }
    .boxed()
}

/// What was read, as it came.
pub(super) fn json(value: &impl serde::Serialize) -> Result<Json, Failure> {
    let raw = serde_json::value::to_raw_value(value);
    raw.map(Json::from).map_err(|error| Failure::Local(format!("the answer cannot be written: {error}")))
}

fn download<'a>(
    context: &'a Context,
    method: &'a Method,
    members: Extra,
) -> BoxFuture<'a, Result<(), Failure>> {
    async move {
        let id: JobId = members.decode("job_id").unwrap_or_default();
        let folder: PathBuf = members.decode::<String>("dest_dir").map_or_else(|| ".".into(), PathBuf::from);
        let files = downloaded(context, &id, &folder).await?;
        if files.is_empty() {
            output::say("the export is empty: there are no files");
        }
        let mut rows = context.output.rows(method.view);
        for file in &files {
            rows.push(row(file))?;
        }
        rows.end()
    }
    .boxed()
}

/// Downloads an export; where its files are.
pub(super) async fn files(context: &Context, id: &JobId, folder: &Path) -> Result<Vec<PathBuf>, Failure> {
    Ok(downloaded(context, id, folder).await?.into_iter().map(|file| file.path).collect())
}

async fn downloaded(context: &Context, id: &JobId, folder: &Path) -> Result<Vec<Downloaded>, Failure> {
    let bar = if context.output.is_json() { ProgressBar::hidden() } else { ProgressBar::new(0) };
    let style = ProgressStyle::with_template("{msg} {wide_bar} {bytes}/{total_bytes} {bytes_per_sec} {eta}")
        .expect("the template is well formed");
    bar.set_style(style);
    let done = context.client()?.download_export(id, folder, |progress| advance(&bar, &progress)).await;
    bar.finish_and_clear();
    Ok(done?)
}

fn row(file: &Downloaded) -> Json {
    let row = serde_json::json!({
        "path": file.path.display().to_string(), "bytes": file.bytes, "records": file.records,
    });
    Json::parse(&row.to_string()).unwrap_or_default()
}

fn advance(bar: &ProgressBar, progress: &DownloadProgress) {
    bar.set_message(format!("file {} of {}", progress.file, progress.files));
    bar.set_length(progress.total.unwrap_or(progress.bytes));
    bar.set_position(progress.bytes);
}
