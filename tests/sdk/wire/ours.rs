//! The same calls through our client: every operation of the SDK but those of rollout runs, under its name.

use std::pin::Pin;
use std::time::Duration;

use gert::api::endpoints::*;
use gert::api::model::Extra;
use gert::api::{Call, Client, Endpoint, Error, ErrorKind, Field, List, PageOptions, Request, WaitOptions};
use serde_json::Value;

type Sent = Pin<Box<dyn Future<Output = Result<usize, Error>>>>;

/// An operation.
pub(crate) struct Operation {
    pub(crate) name: &'static str,
    pub(crate) fields: &'static [Field],
    /// The SDK forwards keyword arguments that it does not know.
    pub(crate) open: bool,
    pub(crate) is_list: bool,
    send: fn(Client, Extra, PageOptions) -> Sent,
}

const fn one<E: Endpoint + Request + 'static>(open: bool) -> Operation {
    fn send<E: Endpoint + Request + 'static>(client: Client, members: Extra, _: PageOptions) -> Sent {
        Box::pin(async move { client.send(&read::<E>(members)?).await.map(|_| 0) })
    }
    Operation { name: E::OPERATION, fields: E::FIELDS, open, is_list: false, send: send::<E> }
}

const fn many<L: List + Request + Sync + 'static>() -> Operation {
    fn send<L: List + Request + Sync + 'static>(
        client: Client,
        members: Extra,
        options: PageOptions,
    ) -> Sent {
        Box::pin(async move { client.all(&read::<L>(members)?, options).await.map(|all| all.items.len()) })
    }
    Operation { name: L::OPERATION, fields: L::FIELDS, open: true, is_list: true, send: send::<L> }
}

fn read<R: Request>(members: Extra) -> Result<R, Error> {
    R::from_members(members).map_err(|why| Error::local("read the request", &why))
}

/// All of them. Which are open: SDK 3.4.0 resources.py, methods with `**params` or `**config`.
pub(crate) const OPERATIONS: &[Operation] = &[
    many::<ListGames>(),
    one::<GetGame>(false),
    one::<GetTags>(false),
    one::<EvaluateCode>(true),
    one::<Explore>(true),
    many::<ListExports>(),
    one::<CreateExport>(true),
    one::<GetExport>(false),
    one::<GetExportDownload>(false),
    one::<ResetExportTracking>(true),
    one::<GetJob>(false),
    one::<GetJobBranchScores>(false),
    one::<ListProviders>(false),
    many::<ListSubmissions>(),
    one::<GetSubmission>(false),
    one::<CreateSubmission>(true),
    one::<DeleteSubmission>(false),
    one::<BulkDeleteSubmissions>(true),
    one::<EvaluateSubmission>(true),
    one::<BatchEvaluateSubmissions>(true),
    one::<GetEvaluations>(false),
    many::<ListSessions>(),
    one::<GetSession>(false),
    one::<GetSessionLogs>(false),
    one::<GetSessionBranches>(false),
    one::<GetSessionBranchScores>(true),
    one::<DeleteSession>(false),
    one::<GetBalance>(false),
    many::<ListUsage>(),
    one::<CreateSession>(true),
    one::<JoinPlay>(false),
    one::<BranchPlay>(true),
    one::<GetPlay>(false),
    one::<Act>(false),
    one::<LeavePlay>(false),
    one::<CreateTasks>(false),
    one::<ScoreTask>(false),
    one::<GetTaskInfo>(false),
];

/// Makes a call as the SDK would be called, and counts the rows of a list.
pub(crate) async fn call(client: Client, operation: &str, kwargs: &Value) -> Result<usize, Error> {
    let mut members: Extra = serde_json::from_str(&kwargs.to_string()).expect("an object");
    let text = |name: &str| kwargs[name].as_str().unwrap_or_default().to_owned();
    match operation {
        "jobs.wait" => {
            let seconds =
                |name: &str, default| kwargs[name].as_f64().map_or(default, Duration::from_secs_f64);
            let options = WaitOptions {
                interval: seconds("interval", Duration::from_secs(2)),
                timeout: Some(seconds("timeout", Duration::from_hours(1))),
                patience: None,
            };
            client.wait_job(&text("job_id").into(), options, |_| {}).await.map(|_| 0)
        }
        "exports.download_files" => {
            let dir = text("dest_dir");
            let done = client.download_export(&text("job_id").into(), dir.as_ref(), |_| {}).await;
            done.map(|files| files.len())
        }
        // Its typed request is not needed for its rule.
        "rollout_runs.close" => {
            let call = Call::post("/rollout-runs").id("run", &text("run_id")).then("/close");
            client.raw(call.named("close run").rule("rollout_runs.close")).await.map(|_| 0)
        }
        name => {
            let operation = OPERATIONS.iter().find(|known| known.name == name).expect("a known operation");
            let mut options = PageOptions::default();
            if operation.is_list {
                members.remove("page_size");
                members.remove("max_items");
                options.max_items = kwargs["max_items"].as_u64().map(|max| max as usize);
                options.page_size =
                    kwargs["page_size"].as_u64().map_or(options.page_size, |size| size as u32);
            }
            (operation.send)(client, members, options).await
        }
    }
}

/// What the SDK raises where we fail like this.
pub(crate) fn exception(kind: ErrorKind) -> &'static str {
    match kind {
        ErrorKind::Validation => "ValidationError",
        ErrorKind::Authentication => "AuthenticationError",
        ErrorKind::InsufficientCredits => "InsufficientCreditsError",
        ErrorKind::Permission => "PermissionError",
        ErrorKind::NotFound => "NotFoundError",
        ErrorKind::Conflict => "ConflictError",
        ErrorKind::RateLimit => "RateLimitError",
        ErrorKind::Server => "ServerError",
        ErrorKind::Api => "GertError",
        ErrorKind::JobFailed => "JobFailed",
        ErrorKind::JobTimeout => "TimeoutError",
        ErrorKind::Lost | ErrorKind::Timeout | ErrorKind::Connect => "TransportError",
        ErrorKind::Decode => "JSONDecodeError",
        ErrorKind::Argument => "ArgumentError",
        _ => "another one",
    }
}
