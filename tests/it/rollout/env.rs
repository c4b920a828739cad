//! The environment with `reset`, `step` and `close`.

use gert::api::endpoints::{OpenRun, ResetEpisode};
use gert::api::model::{Json, Seat};
use gert::rollout::{Env, EnvOptions, Error, Policy};
use serde_json::json as value;

use super::fake::{Asked, Fault, Reply, Server, World};
use super::{adds, json, until};

fn options() -> EnvOptions {
    EnvOptions {
        open: OpenRun::new(10u32),
        reset: ResetEpisode::default().game("g"),
        ..EnvOptions::default()
    }
}

async fn alone(server: &Server) -> Env {
    Env::open(&server.client(), options()).await.expect("an environment")
}

async fn trained_p1(server: &Server, opponents: impl Policy) -> Env<impl Policy> {
    let options = EnvOptions { seat: Some("p1".into()), ..options() };
    Env::with_opponents(&server.client(), options, opponents).await.expect("an environment")
}

fn add(amount: i64) -> Json {
    json(&format!(r#"[{{"add":{amount}}}]"#))
}

#[tokio::test]
async fn an_episode_is_reset_stepped_and_closed() {
    // SDK 3.4.0 tests/test_rollouts.py test_openenv_env_reset_step_close, test_openenv_step_threads_expected_tick.
    let server = World::default().start().await;
    let mut env = alone(&server).await;
    let first = env.reset(Some(7)).await.expect("an episode");
    assert_eq!((first.done, first.reward, env.rules()), (false, None, Some("RULES g")));
    assert_eq!(first.observation.as_ref().map(Json::get), Some(r#"{"seat":"p0","tick":0,"score":0.0}"#));
    assert_eq!(server.bodies("/episodes"), [value!({"game": "g", "seed": 7})]);
    env.step(add(1)).await.expect("a step");
    server.fault(0, "/step", Fault::Lose);
    env.step(add(2)).await.expect("a step");
    let last = env.step(add(3)).await.expect("a step");
    let end = last.end.expect("an end");
    assert_eq!((last.done, last.reward, end.score, end.rank), (true, Some(3.0), Some(6.0), None));
    assert!(!end.failed && !end.eliminated);
    let ticks: Vec<_> = server.bodies("/step").iter().map(|body| body["expected_tick"].clone()).collect();
    assert_eq!(ticks, [0, 1, 1, 2]);
    assert!(matches!(env.step(add(1)).await, Err(Error::Refused(_))), "it is over");
    env.reset(None).await.expect("another one");
    assert_eq!(server.bodies("/episodes")[1], value!({"game": "g"}));
    let closed = env.close().await.expect("closed");
    assert_eq!(closed, env.close().await.expect("the same"));
    assert!(server.closes().is_empty(), "the run's end is the episode's, too");
}

#[tokio::test]
async fn use_at_the_wrong_time_is_refused_without_a_call() {
    // test_openenv_reset_rejects_while_episode_live, test_openenv_step_rejects_after_done,
    // test_openenv_env_rejects_use_after_close.
    let server = World::default().start().await;
    let mut env = alone(&server).await;
    assert!(matches!(env.step(add(1)).await, Err(Error::Refused(_))));
    env.reset(None).await.expect("an episode");
    assert!(matches!(env.reset(None).await, Err(Error::Refused(_))));
    env.close().await.expect("closed");
    let before = server.asked().len();
    assert!(matches!(env.reset(None).await, Err(Error::Refused(_))));
    assert!(matches!(env.step(add(1)).await, Err(Error::Refused(_))));
    assert_eq!(server.asked().len(), before);
}

#[tokio::test]
async fn wrong_options_open_no_run() {
    // test_openenv_requires_exactly_one_of_game_tags; tests/test_openenv_env.py test_empty_game_raises.
    let server = World::default().start().await;
    let client = server.client();
    let game = ResetEpisode::default().game("g");
    for wrong in [
        EnvOptions { reset: ResetEpisode::default(), ..options() },
        EnvOptions { reset: ResetEpisode::default().game(""), ..options() },
        EnvOptions { reset: game.tags(["t"]), ..options() },
        EnvOptions { auto_extend: Some(0), ..options() },
    ] {
        assert!(matches!(Env::open(&client, wrong).await, Err(Error::Refused(_))));
    }
    assert!(server.asked().is_empty());
}

#[tokio::test]
async fn what_the_episode_is_goes_along_with_every_reset() {
    // test_openenv_forwards_opponent_seats_and_difficulty; tests/test_openenv_env.py
    // test_openenv_forwards_opponent_filter.
    let server = World { seats: 2, length: 1, ..World::default() }.start().await;
    let reset =
        ResetEpisode::default().game("g").opponent_seats(1u32).difficulty(0.25).opponent_models(["m"]);
    let options = EnvOptions { reset, rules: Some("my rules".into()), ..options() };
    let mut env = Env::open(&server.client(), options).await.expect("an environment");
    for _ in 0..2 {
        env.reset(None).await.expect("an episode");
        let last = env.step(add(5)).await.expect("a step");
        assert_eq!(last.end.and_then(|end| end.outcome).as_deref(), Some("won"));
    }
    let body = value!({"game": "g", "opponent_seats": 1, "difficulty": 0.25, "opponent_models": ["m"]});
    assert_eq!(server.bodies("/episodes"), [body.clone(), body]);
    assert_eq!((env.rules(), server.count("/games/g")), (Some("my rules"), 0));
}

#[tokio::test]
async fn a_run_that_is_used_up_extends_itself() {
    let server = World { budget: 0, ..World::default() }.start().await;
    let options = EnvOptions { auto_extend: Some(2), ..options() };
    let mut env = Env::open(&server.client(), options).await.expect("an environment");
    env.reset(None).await.expect("an episode");
    assert_eq!(server.bodies("/extend"), [value!({"additional_episodes": 2})]);
}

#[tokio::test]
async fn several_seats_need_opponents_and_the_seat_must_be_ours() {
    // test_openenv_rejects_multi_seat_reset_and_closes_episode; tests/test_openenv_env.py
    // test_multiseat_without_opponent_fn_still_rejected, test_opponent_fn_seat_validation.
    let server = World { seats: 2, ..World::default() }.start().await;
    let error = alone(&server).await.reset(None).await.expect_err("two seats");
    assert!(error.to_string().contains("opponent_seats"), "{error}");
    let options = EnvOptions { seat: Some("p9".into()), ..options() };
    let mut env = Env::with_opponents(&server.client(), options, adds(1)).await.expect("an environment");
    let error = env.reset(None).await.expect_err("no such seat");
    assert!(error.to_string().contains("`p9`"), "{error}");
    assert_eq!(server.closes(), ["ep-0", "ep-1"]);
}

#[tokio::test]
async fn rules_that_cannot_be_fetched_end_the_run() {
    // tests/test_openenv_env.py test_reset_propagates_rules_fetch_failure.
    let server = World::default().start().await;
    let mut env = alone(&server).await;
    server.fault(0, "/games/g", Fault::Refuse(500, "INTERNAL_ERROR"));
    let error = env.reset(None).await.expect_err("no rules");
    assert_eq!((error.code(), server.count("run-1/close")), (Some("INTERNAL_ERROR"), 1));
    let again = env.reset(None).await.expect_err("it is closed").to_string();
    assert!(again.contains("closed"), "{again}");
}

#[tokio::test]
async fn opponents_open_and_answer_around_the_trained_seat() {
    // tests/test_openenv_env.py test_opponent_fn_turn_based_auto_advance.
    let server = World { seats: 2, turn_based: true, length: 4, ..World::default() }.start().await;
    let mut env = trained_p1(&server, adds(1)).await;
    let first = env.reset(None).await.expect("an episode");
    assert_eq!(first.observation.as_ref().map(Json::get), Some(r#"{"seat":"p1","tick":1,"score":0.0}"#));
    assert_eq!((first.reward, env.seat().map(Seat::as_str)), (None, Some("p1")));
    assert_eq!(env.episode().and_then(|episode| episode.policy_seat.clone()), Some("p0".into()));
    assert_eq!(env.step(add(5)).await.expect("a step").reward, Some(5.0));
    let last = env.step(add(2)).await.expect("a step");
    let end = last.end.expect("an end");
    assert_eq!(
        (last.reward, end.score, end.rank, end.outcome.as_deref()),
        (Some(2.0), Some(7.0), Some(1), Some("won"))
    );
    let acted: Vec<_> = server.bodies("/step").iter().map(|body| body["actions"].clone()).collect();
    let (theirs, mine) = (value!({"p0": [{"add": 1}]}), |add| value!({"p1": [{"add": add}]}));
    assert_eq!(acted, [theirs.clone(), mine(5), theirs, mine(2)]);
}

/// Answers a reset with both seats on our side and `p0` on turn, and each step with `step`.
async fn opener(step: serde_json::Value) -> Server {
    Server::start(move |asked: &Asked| -> Reply {
        Ok(match asked.path.rsplit('/').next().unwrap_or_default() {
            "episodes" => value!({"episode_id": "ep-1", "game": "g", "done": false, "tick": 0, "policy_seat": "p0",
                "policy_seats": ["p0", "p1"], "observations": {"p0": {"v": 0}, "p1": {"v": 0}}, "on_turn_seats": ["p0"]}),
            "step" => step.clone(),
            _ => value!({"run_id": "run-1", "prompt": "RULES"}),
        })
    })
    .await
}

#[tokio::test]
async fn rewards_before_the_first_step_are_part_of_it() {
    let opened = value!({"done": false, "tick": 1, "rewards": {"p1": 0.25}, "on_turn_seats": ["p1"], "observations": {"p1": {}}});
    let server = opener(opened).await;
    let mut env = trained_p1(&server, adds(0)).await;
    assert_eq!(env.reset(None).await.expect("an episode").reward, None);
    assert_eq!(env.step(add(1)).await.expect("a step").reward, Some(0.5));
    assert_eq!(env.step(add(1)).await.expect("a step").reward, Some(0.25));
}

#[tokio::test]
async fn an_episode_that_ends_before_the_seat_acts_gives_its_reward_at_the_reset() {
    // tests/test_openenv_env.py test_done_at_reset_carries_trained_reward; tests/test_rollouts.py
    // test_openenv_reset_done_surfaces_terminal_fields.
    let over = value!({"done": true, "tick": 1, "rewards": {"p1": 0.75}, "scores": {"p0": 1.5, "p1": 6.5},
        "ranks": {"p0": 2, "p1": 1}, "outcomes": {"p0": "lost", "p1": "won"}, "completion_reason": "game_complete"});
    let server = opener(over).await;
    let mut env = trained_p1(&server, adds(0)).await;
    let first = env.reset(None).await.expect("an episode");
    let end = first.end.expect("an end");
    assert_eq!(
        (first.done, first.reward, end.score, end.outcome.as_deref()),
        (true, Some(0.75), Some(6.5), Some("won"))
    );
    env.reset(None).await.expect("the next one");
}

#[tokio::test]
async fn a_trained_seat_that_failed_is_told_so_and_the_next_episode_may_start() {
    // tests/test_openenv_env.py test_trained_seat_failure_ends_policy_failed.
    let server = World { seats: 2, length: 9, ..World::default() }.start().await;
    let mut env = trained_p1(&server, adds(1)).await;
    env.reset(None).await.expect("an episode");
    let last = env.step(json("\"nonsense\"")).await.expect("an end");
    let end = last.end.expect("an end");
    assert_eq!((last.done, last.reward, end.score), (true, Some(-1.0), None));
    assert_eq!(
        (end.completion_reason.as_deref(), end.failed, end.eliminated),
        (Some("policy_failed"), true, false)
    );
    assert_eq!((server.count("/step"), server.closes()), (1, vec!["ep-0".to_owned()]));
    env.reset(None).await.expect("the next one");
}

#[tokio::test]
async fn an_eliminated_trained_seat_gets_its_score() {
    // tests/test_openenv_env.py test_trained_seat_elimination_scored_normally.
    let server = World { seats: 2, ..World::default() }.start().await;
    let mut env = trained_p1(&server, adds(1)).await;
    env.reset(None).await.expect("an episode");
    let last = env.step(json(r#"{"add":2,"resign":true}"#)).await.expect("an end");
    let end = last.end.expect("an end");
    assert_eq!((last.reward, end.score, end.outcome.as_deref()), (Some(2.0), Some(2.0), Some("lost")));
    assert_eq!(
        (end.completion_reason.as_deref(), end.failed, end.eliminated),
        (Some("game_complete"), true, true)
    );
    assert_eq!((server.count("/step"), server.closes().len()), (3, 0));
}

#[tokio::test]
async fn a_failure_inside_a_step_closes_the_episode_and_the_next_one_may_start() {
    // tests/test_openenv_env.py test_step_failure_releases_episode_and_unblocks_reset,
    // test_broken_opponent_fn_raises_and_releases.
    let server = World { seats: 2, length: 9, ..World::default() }.start().await;
    let mut env = trained_p1(&server, async |_seen: Json, _seat: Seat| Json::parse("\"nonsense\"")).await;
    env.reset(None).await.expect("an episode");
    assert!(matches!(env.step(add(1)).await, Err(Error::BrokenOpponents(_))));
    assert_eq!(server.closes(), ["ep-0"]);
    let server = World { seats: 2, length: 9, turn_based: true, ..World::default() }.start().await;
    let mut turns = 0;
    let opponents = move |_seen: Json, _seat: Seat| {
        turns += 1;
        let failed = turns == 2;
        async move { if failed { Err("the model is down") } else { Ok(json("[]")) } }
    };
    let mut env = trained_p1(&server, opponents).await;
    env.reset(None).await.expect("an episode");
    assert!(matches!(env.step(add(1)).await, Err(Error::Policy(_))));
    assert_eq!(server.closes(), ["ep-0"]);
    env.reset(None).await.expect("the next one");
}

#[tokio::test]
async fn a_dropped_environment_closes_its_episode_and_settles_its_run() {
    let server = World::default().start().await;
    let mut env = alone(&server).await;
    env.reset(None).await.expect("an episode");
    drop(env);
    until("settling", || server.count("run-1/close") == 1 && server.closes() == ["ep-0"]).await;
}

#[tokio::test]
async fn a_cancelled_step_frees_the_environment() {
    let server = World::default().start().await;
    let mut env = alone(&server).await;
    env.reset(None).await.expect("an episode");
    server.fault(0, "/step", Fault::Hang);
    tokio::select! {
        _ = env.step(add(1)) => panic!("it hangs"),
        () = until("the step", || server.count("/step") == 1) => {}
    }
    until("closing", || server.closes() == ["ep-0"]).await;
    env.reset(None).await.expect("the next one");
}
