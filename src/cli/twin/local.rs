//! `gert rollouts` and `gert transcript`: the SDK's algorithms from a shell. The pure ones need no key and no network;
//! the others play episodes with a command as the policy.

mod seat;

use std::future::ready;

pub(in crate::cli) use self::seat::{CommandPolicy, PolicyBroke};
use super::failure::Failure;
use super::method::{Column, Method, Run, View, number, text};
use super::{Context, long, output};
use crate::api::endpoints::{GetGame, ResetEpisode, ScoreActionsOnPolicy};
use crate::api::model::{Extra, GameSlug, Json};
use crate::api::{Endpoint, Field, Kind, Place, Request};
use crate::rollout::{self, Decision, Observation, OneByOne};
use futures_util::FutureExt;
use futures_util::future::BoxFuture;
use indicatif::{ProgressBar, ProgressStyle};
use serde::de::DeserializeOwned;
use serde_json::Value;

type Done = Result<(), Failure>;

/// `gert rollouts format-observation`.
pub(super) const FORMAT: Method = Method {
    fields: &[needed("observation", "What a seat sees.", Kind::Json)],
    ..pure(
        "format-observation",
        "The user message that the platform shows a model for an observation, byte for byte.",
        format_observation,
    )
};

/// `gert rollouts parse-action`.
pub(super) const PARSE: Method = Method {
    fields: &[needed("text", "The reply.", Kind::Text)],
    ..pure(
        "parse-action",
        "The action in a model's reply, as it would be sent; text without one is sent as it is and fails the turn.",
        parse_action,
    )
};

/// `gert rollouts system-prompt`.
pub(super) const SYSTEM: Method = Method {
    operation: GetGame::OPERATION,
    fields: &[
        may("game", "The rules of this game, by its slug.", Kind::Text),
        may("rules", "These rules instead.", Kind::Text),
    ],
    ..pure(
        "system-prompt",
        "The system message that goes with a game's observations, its sections in the catalogue's order.",
        system_prompt,
    )
};

/// `gert rollouts run-episode`.
pub(super) const RUN_EPISODE: Method = Method {
    operation: ResetEpisode::OPERATION,
    fields: ResetEpisode::FIELDS,
    more: &[
        POLICY,
        may(
            "episodes",
            "How many, one after the other; 1 unless set. With `seed` each has the next seed.",
            Kind::Integer,
        ),
    ],
    view: View::Table(EPISODES),
    ..pure(
        "run-episode",
        "Plays episodes of a run with a command as the policy, and prints each as it ends: steps, reward, score.\n\n\
         The run stays open: close it with `gert rollout-runs close`. An episode that is broken off is closed.",
        run_episode,
    )
};

/// `gert rollouts score-actions-on-policy`.
pub(super) const SCORE: Method = Method {
    operation: "rollout_runs.fork_batch",
    fields: ScoreActionsOnPolicy::FIELDS,
    more: &[Field { place: Place::Optional, ..POLICY }],
    view: View::Rows("actions", super::table::SCORED),
    ..pure("score-actions-on-policy", ScoreActionsOnPolicy::ABOUT, score)
};

/// `gert transcript reconstruct-messages`.
pub(super) const RECONSTRUCT: Method = Method {
    fields: &[
        needed("transcript", "The submission's transcript, a JSON list; its digits are kept.", Kind::Json),
        needed("request_context", "The submission's frame, a JSON object.", Kind::Json),
        needed("decision_index", "Which decision.", Kind::Integer),
        needed("pruned", "The decision's prune verdicts, an object or the text of one.", Kind::Json),
        may("state_entry_count", "How many entries there were by then.", Kind::Integer),
        may("windowed", "Only what the frame's window shows; false for the whole history.", Kind::Bool),
    ],
    ..pure(
        "reconstruct-messages",
        "The request that a model got at a decision of an agentic generation: system text, tools and messages.",
        reconstruct_messages,
    )
};

const POLICY: Field = needed(
    "policy",
    "The command that decides, such as `python3 my_policy.py`: JSON lines in and out, one process a seat.",
    Kind::Text,
);

const EPISODES: &[Column] = &[
    text(&["episode_id"]),
    text(&["game"]),
    number(&["total_reward"]),
    number(&["score"]),
    number(&["rank"]),
    text(&["outcome"]),
    text(&["completion_reason"]),
    text(&["failed_seats"]),
];

const fn needed(name: &'static str, about: &'static str, kind: Kind) -> Field {
    Field { name, about, kind, place: Place::Required }
}

const fn may(name: &'static str, about: &'static str, kind: Kind) -> Field {
    Field { name, about, kind, place: Place::Optional }
}

/// A method that asks nobody.
const fn pure(name: &'static str, about: &'static str, run: Run) -> Method {
    Method {
        name,
        operation: "",
        about,
        fields: &[],
        more: &[],
        view: View::Record,
        pages: false,
        watch: false,
        run,
    }
}

fn member<T: DeserializeOwned + Default>(members: &Extra, name: &str) -> T {
    members.decode(name).unwrap_or_default()
}

/// Text is printed as it is, for programs as a JSON string.
fn print_text(context: &Context, words: &str) -> Result<(), Failure> {
    if context.output.is_json() {
        output::print_line(&Value::from(words).to_string())
    } else {
        output::print(words)
    }
}

#[expect(clippy::needless_pass_by_value, reason = "the signature of every method")]
fn format_observation<'a>(context: &'a Context, _: &'a Method, members: Extra) -> BoxFuture<'a, Done> {
    let observation: Json = member(&members, "observation");
    let words = rollout::format_observation(Observation::Json(&observation));
    let words = words.map_err(|error| Failure::Usage(format!("the observation cannot be shown: {error}")));
    ready(words.and_then(|words| print_text(context, &words))).boxed()
}

#[expect(clippy::needless_pass_by_value, reason = "the signature of every method")]
fn parse_action<'a>(_: &'a Context, _: &'a Method, members: Extra) -> BoxFuture<'a, Done> {
    let reply: String = member(&members, "text");
    ready(output::print_line(rollout::parse_action(&reply).into_json().get())).boxed()
}

fn system_prompt<'a>(context: &'a Context, _: &'a Method, members: Extra) -> BoxFuture<'a, Done> {
    async move {
        let rules = match (members.decode::<String>("rules"), members.decode::<GameSlug>("game")) {
            (Some(rules), _) => Some(rules),
            (None, Some(game)) => context.client()?.send(&GetGame::new(game)).await?.prompt,
            (None, None) => None,
        };
        print_text(context, &rollout::system_prompt(rules.as_deref()))
    }
    .boxed()
}

#[expect(clippy::needless_pass_by_value, reason = "the signature of every method")]
fn reconstruct_messages<'a>(context: &'a Context, method: &'a Method, members: Extra) -> BoxFuture<'a, Done> {
    let (transcript, frame): (Json, Json) =
        (member(&members, "transcript"), member(&members, "request_context"));
    let pruned: Json = member(&members, "pruned");
    let request = rollout::reconstruct_messages(&Decision {
        transcript: transcript.get(),
        request_context: &frame,
        index: member(&members, "decision_index"),
        pruned: Some(&pruned),
        state_entry_count: members.decode("state_entry_count"),
        windowed: members.decode("windowed").unwrap_or(true),
    });
    let request = request.map_err(|error| Failure::Usage(crate::cli::chain(&error)));
    ready(request.and_then(|request| context.output.answer(method.view, &long::json(&request)?))).boxed()
}

fn run_episode<'a>(context: &'a Context, method: &'a Method, mut members: Extra) -> BoxFuture<'a, Done> {
    async move {
        let command: String = member(&members, "policy");
        let count = members.decode::<u64>("episodes").unwrap_or(1);
        members.remove("policy");
        members.remove("episodes");
        let mut reset = ResetEpisode::from_members(members).map_err(Failure::Usage)?;
        let client = context.client()?;
        let mut policy = CommandPolicy::new(&command, reset.game.as_ref())?;
        let mut rows = context.output.rows(method.view);
        let bar = bar(context, count);
        for _ in 0..count {
            let played = rollout::run_episode(client, &reset, &mut policy).await;
            policy.end(played.as_ref().ok());
            let played = played.map_err(failed)?;
            bar.inc(1);
            bar.suspend(|| rows.push(long::json(&played)?))?;
            reset.seed = reset.seed.map(|seed| seed.wrapping_add(1));
        }
        bar.finish_and_clear();
        rows.end()
    }
    .boxed()
}

fn score<'a>(context: &'a Context, method: &'a Method, mut members: Extra) -> BoxFuture<'a, Done> {
    async move {
        let command = members.remove("policy").and_then(|json| json.decode::<String>().ok());
        let request = ScoreActionsOnPolicy::from_members(members).map_err(Failure::Usage)?;
        let client = context.client()?;
        let policy = command.map(|command| CommandPolicy::new(&command, None)).transpose()?;
        let scores = rollout::score_actions_on_policy(client, &request, policy.map(OneByOne).as_mut()).await;
        context.output.answer(method.view, &long::json(&scores.map_err(failed)?)?)
    }
    .boxed()
}

fn failed(error: rollout::Error) -> Failure {
    match error {
        rollout::Error::Api(error) => Failure::Api(error),
        other => Failure::Local(crate::cli::chain(&other)),
    }
}

fn bar(context: &Context, episodes: u64) -> ProgressBar {
    if context.output.is_json() || episodes < 2 {
        return ProgressBar::hidden();
    }
    let style = ProgressStyle::with_template("{wide_bar} {pos}/{len} episodes {elapsed} {eta}");
    ProgressBar::new(episodes).with_style(style.expect("the template is well formed"))
}
