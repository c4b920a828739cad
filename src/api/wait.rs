//! Waiting for a job: polls it until it ended.
//!
//! What follows from each poll is decided by [`Watch::step`], which knows neither clock nor chance; [`Client::wait_job`]
//! asks, reads the clock and sleeps. The defaults are the SDK's (protocol.md §5.8): a fixed interval, and the first
//! failed poll ends it. With [`Patience`] failed polls are endured for a while, and a way to end that nobody knows here
//! is an end.

use std::time::Duration;

use jiff::Timestamp;
use tokio::time::Instant;

use super::endpoints::GetJob;
use super::error::{Error, ErrorKind};
use super::http::Client;
use super::model::{Job, JobId, JobStatus};

/// The longest wait after failed polls, unless the interval is longer.
const MAX_BACKOFF: Duration = Duration::from_mins(1);

/// How to wait.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct WaitOptions {
    /// How long to sleep between two polls; 2 s unless changed.
    pub interval: Duration,
    /// How long to wait in all, by a clock that never steps back: 3600 s unless changed, `None` for ever. The
    /// job is asked at least once.
    pub timeout: Option<Duration>,
    /// Endures failed polls; by default the first one ends the wait.
    pub patience: Option<Patience>,
}

impl Default for WaitOptions {
    fn default() -> Self {
        Self { interval: Duration::from_secs(2), timeout: Some(Duration::from_hours(1)), patience: None }
    }
}

impl WaitOptions {
    /// The defaults, with patience: for people who watch.
    pub fn patient() -> Self {
        Self { patience: Some(Patience::default()), ..Self::default() }
    }
}

/// How much goes wrong before a watch is given up.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Patience {
    /// So many failed polls in a row end it; 10 unless changed.
    pub failures: u32,
    /// So long without a good answer ends it, with the next failed poll; 600 s unless changed.
    pub silence: Duration,
    /// How much each wait differs at random, as a share of it, so that many watches do not ask at the same
    /// moment: 0 to 1, 0.2 unless changed.
    pub jitter: f64,
}

impl Default for Patience {
    fn default() -> Self {
        Self { failures: 10, silence: Duration::from_mins(10), jitter: 0.2 }
    }
}

/// What a wait tells while it lasts.
#[derive(Debug, Clone, PartialEq)]
pub enum WaitEvent<'a> {
    /// The job's state came; told of the last one, too.
    Answered {
        /// The job.
        job: &'a Job,
    },
    /// A poll failed, and another one follows.
    Failed {
        /// Why.
        error: &'a Error,
        /// How many failed in a row.
        failures: u32,
        /// How old the last good answer is, if there was one.
        age: Option<Duration>,
        /// How long until the next poll.
        next: Duration,
    },
}

/// How long ago something was; nothing if a clock says that it is yet to come.
pub fn age(since: Timestamp, now: Timestamp) -> Duration {
    Duration::try_from(now.duration_since(since)).unwrap_or_default()
}

impl Client {
    /// Polls a job until it ended, and returns it if it completed.
    ///
    /// Asks first and sleeps then, so that a machine that slept asks once and goes on at the usual pace. Free.
    ///
    /// # Errors [`ErrorKind::JobFailed`] when it failed or was cancelled, [`ErrorKind::JobTimeout`] when the
    /// time is over; with patience [`ErrorKind::JobUnknown`] when it ended in an unknown way, and
    /// [`ErrorKind::WatchLost`] when too many polls failed, else the error of the first failed poll. None of
    /// them but the first says that the job failed.
    pub async fn wait_job(
        &self,
        job_id: &JobId,
        options: WaitOptions,
        mut on_progress: impl FnMut(WaitEvent<'_>),
    ) -> Result<Job, Error> {
        let request = GetJob::new(job_id);
        let started = Instant::now();
        let mut watch = Watch::new(job_id, options);
        let mut polls = 0;
        loop {
            let answer = self.send(&request).await;
            polls += 1;
            if let Ok(job) = &answer {
                on_progress(WaitEvent::Answered { job });
            }
            let asked = answer.as_ref().err().and_then(|error| error.retry_after(Timestamp::now()));
            let next = match watch.step(answer, started.elapsed(), asked, rand::random()) {
                Next::Done(job) => return Ok(*job),
                Next::Broken(error) => return Err(error),
                Next::Over(over) => return Err(self.ended(over).after(polls)),
                Next::Again { next, failed: None } => next,
                Next::Again { next, failed: Some(Failed { error, failures, age }) } => {
                    on_progress(WaitEvent::Failed { error: &error, failures, age, next });
                    next
                }
            };
            tokio::time::sleep(next).await;
        }
    }

    fn ended(&self, over: Over) -> Error {
        let secrets = [self.settings().key.expose()];
        let error = self.step("wait for job", false, &secrets).error(over.kind, over.why);
        match over.job {
            None => error,
            Some(job) => {
                let body = serde_json::to_value(&*job).unwrap_or_default();
                error.with_job(body, job.error_text())
            }
        }
    }
}

/// What is known of a job that is waited for.
struct Watch {
    job_id: JobId,
    options: WaitOptions,
    status: JobStatus,
    /// When the last good answer came, counted from the start.
    good: Option<Duration>,
    failures: u32,
}

/// What follows from a poll.
#[derive(Debug, PartialEq)]
enum Next {
    /// It completed.
    Done(Box<Job>),
    /// The poll failed for good.
    Broken(Error),
    /// The wait is over otherwise.
    Over(Over),
    /// Poll again after a sleep.
    Again { next: Duration, failed: Option<Failed> },
}

#[derive(Debug, PartialEq)]
struct Failed {
    error: Error,
    failures: u32,
    age: Option<Duration>,
}

#[derive(Debug, PartialEq)]
struct Over {
    kind: ErrorKind,
    why: String,
    job: Option<Box<Job>>,
}

impl Watch {
    fn new(job_id: &JobId, options: WaitOptions) -> Self {
        Self { job_id: job_id.clone(), options, status: JobStatus::Unknown, good: None, failures: 0 }
    }

    /// Takes an answer that came at `at`, counted from the start; `asked` is the wait that the server asked
    /// for, `chance` is from 0 up to 1.
    fn step(
        &mut self,
        answer: Result<Job, Error>,
        at: Duration,
        asked: Option<Duration>,
        chance: f64,
    ) -> Next {
        match answer {
            Ok(job) => self.answered(job, at, chance),
            Err(error) => self.failed(error, at, asked, chance),
        }
    }

    fn answered(&mut self, job: Job, at: Duration, chance: f64) -> Next {
        (self.failures, self.good) = (0, Some(at));
        self.status = job.status.clone();
        let id = &self.job_id;
        if job.status == JobStatus::Completed {
            return Next::Done(Box::new(job));
        }
        if job.status.is_terminal() {
            let why = format!("job {id} {}: {}", job.status, job.error_text().unwrap_or("no error detail"));
            return Next::Over(Over { kind: ErrorKind::JobFailed, why, job: Some(Box::new(job)) });
        }
        if self.options.patience.is_some() && job.is_over() {
            let why = format!("job {id} ended, and its status `{}` is not known here", job.status);
            return Next::Over(Over { kind: ErrorKind::JobUnknown, why, job: Some(Box::new(job)) });
        }
        let next = self.spread(self.options.interval, chance);
        self.time_is_over(at).unwrap_or(Next::Again { next, failed: None })
    }

    fn failed(&mut self, error: Error, at: Duration, asked: Option<Duration>, chance: f64) -> Next {
        // A page instead of JSON is a gateway's hiccup, but from the start it means a wrong address.
        let passing = error.is_retryable() || (error.kind() == ErrorKind::Decode && self.good.is_some());
        let Some(patience) = self.options.patience.filter(|_| passing) else { return Next::Broken(error) };
        self.failures += 1;
        let silence = at.saturating_sub(self.good.unwrap_or_default());
        if self.failures >= patience.failures || silence >= patience.silence {
            let why = format!(
                "watch lost: no good answer about job {} for {} s, {} failed polls: {}",
                self.job_id,
                silence.as_secs(),
                self.failures,
                error.why()
            );
            return Next::Over(Over { kind: ErrorKind::WatchLost, why, job: None });
        }
        if let Some(over) = self.time_is_over(at) {
            return over;
        }
        let next = self.spread(self.backoff(), chance).max(asked.unwrap_or_default());
        let age = self.good.map(|_| silence);
        Next::Again { next, failed: Some(Failed { error, failures: self.failures, age }) }
    }

    fn time_is_over(&self, at: Duration) -> Option<Next> {
        let timeout = self.options.timeout.filter(|timeout| at >= *timeout)?;
        let (id, seconds, status) = (&self.job_id, timeout.as_secs_f64(), &self.status);
        let why = format!("job {id} did not complete within {seconds}s (status={status})");
        Some(Next::Over(Over { kind: ErrorKind::JobTimeout, why, job: None }))
    }

    /// Twice the wait after each failure.
    fn backoff(&self) -> Duration {
        let interval = self.options.interval;
        interval.saturating_mul(1 << self.failures.min(16)).min(MAX_BACKOFF.max(interval))
    }

    fn spread(&self, wait: Duration, chance: f64) -> Duration {
        let jitter = self.options.patience.map_or(0.0, |patience| patience.jitter.clamp(0.0, 1.0));
        let spread = wait.as_secs_f64() * (1.0 + jitter * (2.0 * chance - 1.0));
        Duration::try_from_secs_f64(spread).unwrap_or(wait)
    }
}

#[cfg(test)]
mod tests;
