//! The same calls through our client: every operation of the SDK, and the algorithms of its module `rollouts`, under
//! their names.

use std::pin::Pin;
use std::time::Duration;

use gert::api::endpoints::*;
use gert::api::model::{Extra, Json, Seat};
use gert::api::{Client, Endpoint, Error, ErrorKind, Field, List, PageOptions, Request, WaitOptions};
use gert::rollout::{self, OneByOne, Policy};
use serde_json::Value;

use super::Case;
use super::python::Outcome;

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

const fn several<T, E: Endpoint<Reply = Vec<T>> + Request + 'static>() -> Operation {
    fn send<T, E: Endpoint<Reply = Vec<T>> + Request + 'static>(
        client: Client,
        members: Extra,
        _: PageOptions,
    ) -> Sent {
        Box::pin(async move { client.send(&read::<E>(members)?).await.map(|rows| rows.len()) })
    }
    Operation { send: send::<T, E>, ..one::<E>(false) }
}

const fn fork_batch() -> Operation {
    fn send(client: Client, members: Extra, _: PageOptions) -> Sent {
        Box::pin(async move {
            let request = read::<ForkBatch>(members)?;
            rollout::fork_batch(&client, &request).await.map(|forks| forks.len())
        })
    }
    Operation { send, ..one::<ForkBatch>(false) }
}

const fn many<L: List + Request + Sync + 'static>(open: bool) -> Operation {
    fn send<L: List + Request + Sync + 'static>(
        client: Client,
        members: Extra,
        options: PageOptions,
    ) -> Sent {
        Box::pin(async move { client.all(&read::<L>(members)?, options).await.map(|all| all.items.len()) })
    }
    Operation { name: L::OPERATION, fields: L::FIELDS, open, is_list: true, send: send::<L> }
}

fn read<R: Request>(members: Extra) -> Result<R, Error> {
    R::from_members(members).map_err(|why| Error::local("read the request", &why))
}

/// All of them. Which are open: SDK 3.4.0 resources.py, methods with `**params` or `**config`.
pub(crate) const OPERATIONS: &[Operation] = &[
    many::<ListGames>(true),
    one::<GetGame>(false),
    one::<GetTags>(false),
    one::<EvaluateCode>(true),
    one::<Explore>(true),
    many::<ListExports>(true),
    one::<CreateExport>(true),
    one::<GetExport>(false),
    one::<GetExportDownload>(false),
    one::<ResetExportTracking>(true),
    one::<GetJob>(false),
    one::<GetJobBranchScores>(false),
    one::<ListProviders>(false),
    many::<ListSubmissions>(true),
    one::<GetSubmission>(false),
    one::<CreateSubmission>(true),
    one::<DeleteSubmission>(false),
    one::<BulkDeleteSubmissions>(true),
    one::<EvaluateSubmission>(true),
    one::<BatchEvaluateSubmissions>(true),
    one::<GetEvaluations>(false),
    many::<ListSessions>(true),
    one::<GetSession>(false),
    one::<GetSessionLogs>(false),
    one::<GetSessionBranches>(false),
    one::<GetSessionBranchScores>(true),
    one::<DeleteSession>(false),
    one::<GetBalance>(false),
    many::<ListUsage>(true),
    one::<CreateSession>(true),
    one::<JoinPlay>(false),
    one::<BranchPlay>(true),
    one::<GetPlay>(false),
    one::<Act>(false),
    one::<LeavePlay>(false),
    one::<OpenRun>(false),
    many::<ListRuns>(false),
    one::<ResetEpisode>(false),
    one::<GetEpisode>(false),
    one::<StepEpisode>(false),
    several::<_, StepBatch>(),
    one::<ForkEpisode>(false),
    fork_batch(),
    one::<ScoreActions>(false),
    one::<CompleteEpisode>(false),
    one::<CloseEpisode>(false),
    one::<ExtendRun>(false),
    one::<CloseRun>(false),
    one::<CreateTasks>(false),
    one::<ScoreTask>(false),
    one::<GetTaskInfo>(false),
];

/// Makes a call as the SDK would be called.
pub(crate) async fn call(client: Client, case: &Case) -> Outcome {
    let members = serde_json::from_str(&case.kwargs.to_string()).expect("an object");
    if case.operation.starts_with("rollouts.") {
        return match value(&client, members, case).await {
            Ok(value) => Outcome { name: "ok".into(), value, ..Outcome::default() },
            Err(error) => failed_rollout(&error),
        };
    }
    match rows(client, members, case).await {
        Ok(rows) => Outcome { name: "ok".into(), rows, ..Outcome::default() },
        Err(error) => failed(&error),
    }
}

/// Runs an algorithm and returns what it returns.
async fn value(client: &Client, members: Extra, case: &Case) -> Result<Value, rollout::Error> {
    let mut policy = Echo::of(&case.policy);
    if case.operation == "rollouts.run_episode" {
        let reset = read::<ResetEpisode>(members)?;
        let mut policy = policy.expect("a policy").0;
        let trajectory = rollout::run_episode(client, &reset, &mut policy).await?;
        return Ok(serde_json::to_value(trajectory).expect("JSON"));
    }
    let request = read::<ScoreActionsOnPolicy>(members)?;
    let scores = rollout::score_actions_on_policy(client, &request, policy.as_mut()).await?;
    Ok(serde_json::to_value(scores).expect("JSON"))
}

/// Says which decision it is, for whom, and what was seen; fails at one of them if it is to.
struct Echo {
    nth: i64,
    fails_at: i64,
}

impl Echo {
    fn of(spec: &Value) -> Option<OneByOne<Self>> {
        let fails_at = spec["fails_at"].as_i64()?;
        Some(OneByOne(Self { nth: 0, fails_at }))
    }
}

impl Policy for Echo {
    type Error = rollout::BoxError;

    async fn act(&mut self, observation: &Json, seat: &Seat) -> Result<Json, rollout::BoxError> {
        let nth = self.nth;
        self.nth += 1;
        if nth == self.fails_at {
            return Err("no idea".into());
        }
        let saw = observation.get();
        Ok(Json::parse(&format!(r#"[{{"nth":{nth},"seat":"{seat}","saw":{saw}}}]"#))?)
    }
}

/// Makes a call and counts the rows of a list.
async fn rows(client: Client, mut members: Extra, case: &Case) -> Result<usize, Error> {
    let kwargs = &case.kwargs;
    let text = |name: &str| kwargs[name].as_str().unwrap_or_default().to_owned();
    match case.operation {
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

fn failed(error: &Error) -> Outcome {
    let name = exception(error.kind());
    Outcome {
        name: name.into(),
        code: error.code().map(str::to_owned),
        // httpx tells no status of an answer that broke off.
        status: error.status().filter(|_| name != "TransportError"),
        request_id: error.request_id().map(str::to_owned),
        said: error.why().to_owned(),
        ..Outcome::default()
    }
}

fn failed_rollout(error: &rollout::Error) -> Outcome {
    let name = match error {
        rollout::Error::Api(error) | rollout::Error::Exhausted { source: error, .. } => return failed(error),
        rollout::Error::Policy(_) => "PolicyError",
        rollout::Error::Conflict { .. } => "GertError",
        rollout::Error::Refused(_) => "ArgumentError",
        _ => "another one",
    };
    let code = error.code().map(str::to_owned);
    Outcome { name: name.into(), code, said: error.to_string(), ..Outcome::default() }
}

/// What the SDK raises where we fail like this.
fn exception(kind: ErrorKind) -> &'static str {
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
