//! Which calls may be sent again after their answer was lost, as data.
//!
//! The generic retry (a code that says nothing was started) works inside every row; "never resent" is about
//! transport errors, 504 and other 5xx.

use std::time::Duration;

use super::Timeout;

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
    /// The SDK's name of the operation.
    pub operation: &'static str,
    /// Whether a lost answer allows another try.
    pub resend: Resend,
    /// How long the server may be silent.
    pub timeout: Timeout,
    /// False for loops that keep their own pace.
    pub generic: bool,
    /// Why.
    pub why: &'static str,
}

/// Calls with a rule of their own; everything else is [`Resend::Generic`] with [`Timeout::Default`].
pub const RULES: &[Rule] = &[
    rule("play.create", Resend::Generic, Timeout::Warmup, "a lost success leaves a live, billed session"),
    rule("play.join", Resend::OnceAfterLost, Timeout::Warmup, "a rejoin returns the same seat"),
    rule("play.branch", Resend::Generic, Timeout::Warmup, "a lost success leaves a live, billed session"),
    rule(
        "play.branch many",
        Resend::Generic,
        Timeout::Fanout,
        "the ids of the children are only in the answer",
    ),
    rule(
        "rollout.reset",
        Resend::Generic,
        Timeout::Warmup,
        "a lost success would open a second billed episode",
    ),
    rule(
        "rollout.fork",
        Resend::Generic,
        Timeout::Warmup,
        "a lost success would open a second billed episode",
    ),
    Rule {
        operation: "rollout.forks",
        resend: Resend::Generic,
        timeout: Timeout::Warmup,
        generic: false,
        why: "its own loop resends under the same `op_key` until the outcome is known",
    },
    rule(
        "rollout.step",
        Resend::Generic,
        Timeout::Default,
        "without `expected_tick` another tick would be played",
    ),
    rule(
        "rollout.steps",
        Resend::Generic,
        Timeout::Default,
        "without `expected_tick` another tick would be played",
    ),
    rule("rollout.complete", Resend::Generic, Timeout::Default, "it claims credits"),
    rule("rollout.score-actions", Resend::Generic, Timeout::Default, "it claims credits"),
    rule(
        "rollout.close",
        Resend::OnceAfterLostDelayed(Duration::from_secs(1)),
        Timeout::Default,
        "closing twice is closing once, and a run left open holds credits",
    ),
    rule("tasks.create", Resend::Generic, Timeout::Warmup, "each task drawn is charged"),
    rule("tasks.score", Resend::Generic, Timeout::Warmup, "each scored answer is charged"),
];

const fn rule(operation: &'static str, resend: Resend, timeout: Timeout, why: &'static str) -> Rule {
    Rule { operation, resend, timeout, generic: true, why }
}

impl Rule {
    /// The row of an operation, the default one if it has none.
    pub fn of(operation: &'static str) -> Self {
        let known = RULES.iter().find(|rule| rule.operation == operation);
        known.copied().unwrap_or(rule(operation, Resend::Generic, Timeout::Default, "nothing special"))
    }
}

impl super::Call {
    /// Applies the row of [`RULES`] for an operation.
    #[must_use]
    pub fn rule(self, operation: &'static str) -> Self {
        let rule = Rule::of(operation);
        let call = self.resend(rule.resend).timeout(rule.timeout);
        if rule.generic { call } else { call.retries(0) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_that_costs_is_resent_and_what_is_idempotent_once() {
        let resent: Vec<_> =
            RULES.iter().filter(|rule| rule.resend != Resend::Generic).map(|rule| rule.operation).collect();
        assert_eq!(resent, ["play.join", "rollout.close"]);
        assert_eq!(Rule::of("games.list").timeout, Timeout::Default);
        assert_eq!(crate::api::Call::post("/x").rule("rollout.forks").retries, Some(0));
    }

    #[test]
    fn an_operation_has_one_row() {
        for (index, rule) in RULES.iter().enumerate() {
            assert!(RULES[index + 1..].iter().all(|other| other.operation != rule.operation));
        }
    }
}
