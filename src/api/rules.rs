//! What each operation costs, how long it may take, and whether it may be sent again after its answer was lost: as
//! data, so that documentation, help texts and the client itself say and do the same.
//!
//! The generic retry (a code that says nothing was started) works inside every row but one; "never resent" is about
//! transport errors, 504 and other 5xx (protocol.md §1.8, §1.9).

use std::time::Duration;

use super::{Call, Timeout};

/// When a request is sent again although the first may have been carried out.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Resend {
    /// Never.
    #[default]
    Generic,
    /// Once, at once, after a transport error or a 504.
    OnceAfterLost,
    /// Once, after a fixed wait, after a transport error, a 504 or `OWNER_UNREACHABLE`.
    OnceAfterLostDelayed(Duration),
}

/// One row of the table.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Rule {
    /// The SDK's name of the operation: `rollout_runs.reset`.
    pub operation: &'static str,
    /// What it costs, for people.
    pub price: &'static str,
    /// Whether a lost answer allows another try.
    pub resend: Resend,
    /// How long the server may be silent.
    pub timeout: Timeout,
    /// False for loops that keep their own pace.
    pub generic: bool,
    /// Why it is sent again, or not.
    pub why: &'static str,
}

const FREE: &str = "free";
const READS: &str = "it only reads, so asking again does no harm";
const TICKS: &str = "0.0004 credits a tick; `max_ticks` bounds it";
const HELD: &str = "0.0004 credits a tick, out of what the run holds";
const TOLD: &str = "told by the server when it is done; it depends on games, matches and models";
const BUILT: &str = "an estimate comes from `dry_run`, which is free";
const SESSION: &str = "a lost success leaves a live, billed session";
const EPISODE: &str = "a lost success would open a second billed episode";
const ANOTHER_TICK: &str =
    "without `expected_tick` another tick would be played; with it, send the same again";

/// Every operation of the API.
pub const RULES: &[Rule] = &[
    read("games.list"),
    read("games.get"),
    read("games.tags"),
    once("dataset_builds.evaluate_code", BUILT, "a lost success leaves a running, billed build"),
    once("dataset_builds.explore", BUILT, "a lost success leaves a running, billed build"),
    read("exports.list"),
    once(
        "exports.create",
        "an estimate comes from `dry_run`, which is free; own agentic branches are free",
        "a lost success leaves a billed export",
    ),
    read("exports.get"),
    read("exports.download"),
    once("exports.reset_tracking", FREE, "the answer says nothing, so look before doing it again"),
    read("jobs.get"),
    read("jobs.branch_scores"),
    read("providers.list"),
    read("submissions.list"),
    read("submissions.get"),
    once("submissions.create", TOLD, "a lost success leaves a second submission, and generation is billed"),
    once("submissions.delete", FREE, "look at the list instead: a second try may say that it is gone"),
    once("submissions.bulk_delete", FREE, "a second run might match other submissions"),
    once("submissions.evaluate", TOLD, "a lost success leaves a running, billed evaluation"),
    once("submissions.batch_evaluate", TOLD, "a lost success leaves running, billed evaluations"),
    read("submissions.evaluations"),
    read("sessions.list"),
    read("sessions.get"),
    read("sessions.logs"),
    read("sessions.branches"),
    read("sessions.branch_scores"),
    once("sessions.delete", FREE, "look at the list instead: a second try may say that it is gone"),
    read("billing.balance"),
    read("billing.usage"),
    once("play.create", TICKS, SESSION).warmup(),
    once("play.join", FREE, "a rejoin returns the same seat").warmup().resent(Resend::OnceAfterLost),
    once("play.branch", TICKS, SESSION).warmup(),
    // `count` over 1, or `explore`.
    Rule {
        timeout: Timeout::Fanout,
        ..once("play.branch many", TICKS, "the ids of the children are only in the answer")
    },
    read("play.get"),
    once(
        "play.act",
        "free; the session is billed by its ticks",
        "the turn may be over: look at the state first",
    ),
    once("play.leave", FREE, "look at the session instead"),
    // Sockets, which are no requests: a lost link is opened again.
    once(
        "play.connect",
        "free; the session is billed by its ticks",
        "what was sent on a lost link may have counted; the socket is opened again",
    ),
    once("play.spectate", FREE, "the socket is opened again, and the current state comes first"),
    once(
        "rollout_runs.open",
        "holds `max_episodes` times `max_ticks_per_episode` times 0.0004 credits; closing refunds what was not played",
        "a lost success leaves a run that holds credits until it expires: look at the list",
    ),
    read("rollout_runs.list"),
    once("rollout_runs.reset", HELD, EPISODE).warmup(),
    read("rollout_runs.get_episode"),
    once("rollout_runs.step", HELD, ANOTHER_TICK),
    once("rollout_runs.step_batch", HELD, ANOTHER_TICK),
    once("rollout_runs.fork", HELD, EPISODE).warmup(),
    Rule {
        generic: false,
        ..once(
            "rollout_runs.fork_batch",
            HELD,
            "sent again under the same `op_key` until the outcome is known",
        )
        .warmup()
    },
    once(
        "rollout_runs.score_actions",
        "candidates times samples times `max_ticks` times 0.0004 credits at most; the hold grows by it",
        "it claims credits",
    ),
    once(
        "rollout_runs.complete",
        "samples times `max_ticks` times 0.0004 credits at most; the hold grows by it",
        "it claims credits",
    ),
    once("rollout_runs.close_episode", FREE, "a second try answers 404, which means that it is closed"),
    once(
        "rollout_runs.extend",
        "holds `additional_episodes` times the run's episode price",
        "a lost success may have grown the hold: look at the list",
    ),
    once(
        "rollout_runs.close",
        "settles at 0.0004 credits for each tick played and refunds the rest",
        "closing twice is closing once, and a run left open holds credits",
    )
    .resent(Resend::OnceAfterLostDelayed(Duration::from_secs(1))),
    once(
        "tasks.create",
        "each task costs its generate price: `tasks info` lists them",
        "each task drawn is charged",
    )
    .warmup(),
    once(
        "tasks.score",
        "each distinct answer that is scored costs its score price: `tasks info` lists them",
        "each scored answer is charged",
    )
    .warmup(),
    read("tasks.info"),
];

/// What only reads is free, and nothing is lost by asking again.
const fn read(operation: &'static str) -> Rule {
    once(operation, FREE, READS)
}

const fn once(operation: &'static str, price: &'static str, why: &'static str) -> Rule {
    Rule { operation, price, resend: Resend::Generic, timeout: Timeout::Default, generic: true, why }
}

impl Rule {
    /// The row of an operation; a read's for one that is not in the table.
    pub fn of(operation: &'static str) -> Self {
        RULES.iter().find(|rule| rule.operation == operation).copied().unwrap_or(read(operation))
    }

    const fn warmup(self) -> Self {
        Self { timeout: Timeout::Warmup, ..self }
    }

    const fn resent(self, resend: Resend) -> Self {
        Self { resend, ..self }
    }

    /// What happens after a lost answer, for people.
    pub fn after_loss(&self) -> String {
        let what = match self.resend {
            _ if !self.generic => "sent again",
            Resend::Generic => "never sent again by itself",
            Resend::OnceAfterLost => "sent again once",
            Resend::OnceAfterLostDelayed(_) => "sent again once, after a second",
        };
        format!("{what}: {}", self.why)
    }

    /// How long the server may be silent, for people.
    pub fn patience(&self) -> &'static str {
        match self.timeout {
            Timeout::Default => "30 s of silence, or what the profile says",
            Timeout::Warmup => "105 s of silence: a game may have to start",
            Timeout::Fanout => "none: many games start in one request",
            Timeout::Exact(_) => "as the caller says",
        }
    }
}

impl Call {
    /// Applies the row of [`RULES`] for an operation, unless one was applied before.
    #[must_use]
    pub fn rule(mut self, operation: &'static str) -> Self {
        if self.operation.is_some() {
            return self;
        }
        let rule = Rule::of(operation);
        self.operation = Some(rule.operation);
        let call = self.resend(rule.resend).timeout(rule.timeout);
        if rule.generic { call } else { call.retries(0) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_that_costs_is_resent_and_what_is_idempotent_once() {
        // protocol.md §1.9.
        let resent: Vec<_> =
            RULES.iter().filter(|rule| rule.resend != Resend::Generic).map(|rule| rule.operation).collect();
        assert_eq!(resent, ["play.join", "rollout_runs.close"]);
        assert_eq!(Rule::of("games.list").timeout, Timeout::Default);
        assert_eq!(Call::post("/x").rule("rollout_runs.fork_batch").retries, Some(0));
    }

    #[test]
    fn what_starts_a_game_waits_longer_than_the_edge() {
        // protocol.md §1.10, WARMUP.
        let warm: Vec<_> =
            RULES.iter().filter(|rule| rule.timeout == Timeout::Warmup).map(|rule| rule.operation).collect();
        assert_eq!(
            warm,
            [
                "play.create",
                "play.join",
                "play.branch",
                "rollout_runs.reset",
                "rollout_runs.fork",
                "rollout_runs.fork_batch",
                "tasks.create",
                "tasks.score"
            ]
        );
    }

    #[test]
    fn an_operation_has_one_row_and_the_first_rule_wins() {
        for (index, rule) in RULES.iter().enumerate() {
            assert!(RULES[index + 1..].iter().all(|other| other.operation != rule.operation));
        }
        let many = Call::post("/x").rule("play.branch many").rule("play.branch");
        assert_eq!(many.timeout, Timeout::Fanout);
    }
}
