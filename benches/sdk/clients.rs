//! Our half of each comparison: the library as its users have it, on one thread.

use std::error::Error;
use std::fs;
use std::time::Instant;

use gert::api::endpoints::{GetBalance, MAX_BATCH, ResetEpisode};
use gert::api::model::{Json, RunId, Seat, SessionId};
use gert::api::{ApiKey, Client, MessageKind, Settings};
use gert::rollout::{BatchStepper, run_episode};
use serde_json::json;

type Outcome<T = ()> = Result<T, Box<dyn Error>>;

const ACTION: &str = r#"[{"action":"move","direction":"up"}]"#;

/// Requests before the clock starts, so that memory is compared after everything has been allocated once.
const WARM_UP: u64 = 500;

pub(crate) fn run(what: &str, how: &str, base: &str) -> Outcome {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    let client = Client::new(Settings::new(base.parse()?, ApiKey::new("sk_gert_bench")?))?;
    runtime.block_on(async {
        let (count, used) = match what {
            "spectate" => spectate(&client, how).await?,
            "balance" => balance(&client, how.parse()?).await?,
            "episode" => episode(&client, how.parse()?).await?,
            "batch" => batch(&client, how.parse()?).await?,
            other => return Err(format!("there is no `{other}` to measure").into()),
        };
        let peak = memory("VmHWM")?;
        println!("{}", json!({"count": count, "secs": used.secs, "cpu": used.cpu, "grown_kib": used.grown, "peak_kib": peak}));
        Ok(())
    })
}

/// From the first message to the last; each one's envelope is read, as a watcher of the session needs it.
async fn spectate(client: &Client, session: &str) -> Outcome<(u64, Used)> {
    let mut socket = client.spectate(&SessionId::from(session)).await?;
    socket.recv().await?;
    let (start, mut count) = (Start::now()?, 1);
    while let Some(message) = socket.recv().await? {
        count += 1;
        if message.kind == MessageKind::GameCompleted {
            break;
        }
    }
    let used = start.used()?;
    socket.close().await;
    Ok((count, used))
}

async fn balance(client: &Client, count: u64) -> Outcome<(u64, Used)> {
    for _ in 0..WARM_UP {
        client.send(&GetBalance::new()).await?;
    }
    let start = Start::now()?;
    for _ in 0..count {
        if client.send(&GetBalance::new()).await?.credits < 1.0 {
            return Err("the balance is wrong".into());
        }
    }
    Ok((count, start.used()?))
}

async fn episode(client: &Client, ticks: u64) -> Outcome<(u64, Used)> {
    let reset = ResetEpisode { max_ticks: Some(ticks), ..ResetEpisode::of("r1", "bench") };
    let mut policy = async |_: Json, _: Seat| Json::parse(ACTION);
    let start = Start::now()?;
    let trajectory = run_episode(client, &reset, &mut policy).await?;
    Ok((trajectory.steps.len() as u64, start.used()?))
}

/// Counts steps, not rounds.
async fn batch(client: &Client, rounds: u64) -> Outcome<(u64, Used)> {
    let reset = ResetEpisode { max_ticks: Some(rounds), ..ResetEpisode::of("r1", "bench") };
    let mut episodes = Vec::new();
    for _ in 0..MAX_BATCH {
        episodes.push(client.send(&reset).await?);
    }
    let mut stepper = BatchStepper::new(client, &RunId::from("r1"), &episodes)?;
    let (start, mut count) = (Start::now()?, 0);
    while !stepper.is_empty() {
        let actions = stepper.turns().iter().map(|_| Json::parse(ACTION)).collect::<Result<_, _>>()?;
        count += stepper.step(actions).await?.iter().filter(|stepped| stepped.outcome.is_ok()).count() as u64;
    }
    Ok((count, start.used()?))
}

/// When the clock started.
struct Start {
    wall: Instant,
    cpu: f64,
    memory: i64,
}

/// What was used since then.
struct Used {
    secs: f64,
    cpu: f64,
    /// Resident memory, in KiB.
    grown: i64,
}

impl Start {
    fn now() -> Outcome<Self> {
        let (cpu, memory) = (cpu()?, memory("VmRSS")?);
        Ok(Self { wall: Instant::now(), cpu, memory })
    }

    fn used(&self) -> Outcome<Used> {
        let secs = self.wall.elapsed().as_secs_f64();
        Ok(Used { secs, cpu: cpu()? - self.cpu, grown: memory("VmRSS")? - self.memory })
    }
}

/// The seconds that this process ran on a processor.
fn cpu() -> Outcome<f64> {
    let mut nanos = 0.0;
    for thread in fs::read_dir("/proc/self/task")? {
        let stat = fs::read_to_string(thread?.path().join("schedstat"))?;
        nanos += stat.split(' ').next().unwrap_or_default().parse::<f64>()?;
    }
    Ok(nanos / 1e9)
}

/// A line of the process's status, in KiB.
fn memory(name: &str) -> Outcome<i64> {
    let status = fs::read_to_string("/proc/self/status")?;
    let line = status.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(':'));
    let number = line.and_then(|line| line.split_whitespace().next());
    Ok(number.ok_or("no such line in the process's status")?.parse()?)
}
