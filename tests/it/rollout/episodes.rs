//! Whole episodes.

use gert::api::endpoints::ResetEpisode;
use gert::api::model::{Json, Seat};
use gert::rollout::{BoxError, Error, Policy, Trajectory, run_episode};
use serde_json::{Value, json as value};

use super::fake::{Asked, Fault, Reply, Server, World};
use super::{adds, json, names, until};

fn game() -> ResetEpisode {
    ResetEpisode::of("run-1", "g")
}

async fn play(server: &Server, policy: &mut impl Policy) -> Result<Trajectory, Error> {
    run_episode(&server.client(), &game(), policy).await
}

/// A server with one answer to a reset and then one for each step.
async fn scripted(reset: Value, steps: Vec<Value>) -> Server {
    let mut steps = steps.into_iter();
    Server::start(move |asked: &Asked| -> Reply {
        match asked.path.as_str() {
            "/rollout-runs/run-1/episodes" => Ok(reset.clone()),
            "/rollout-runs/run-1/episodes/ep-1/step" => Ok(steps.next().expect("no more steps")),
            path => panic!("nobody asks for {path}"),
        }
    })
    .await
}

#[test]
fn playing_can_be_spawned() {
    fn is_send<T: Send>(_: impl Fn() -> T) {}
    is_send(|| async {
        let server = World::default().start().await;
        let mut policy = async |_seen: Json, _seat: Seat| Json::parse("[]");
        run_episode(&server.client(), &game(), &mut policy).await.map(|_| ())
    });
}

#[tokio::test]
async fn an_episode_is_played_to_its_end() {
    // SDK 3.4.0 tests/test_rollouts.py test_run_episode_drives_loop_to_terminal.
    let server = World { seats: 2, ..World::default() }.start().await;
    let reset = game().opponent_seats(1u32).seed(7u64);
    let mut seen = Vec::new();
    let mut policy = |observation: Json, seat: Seat| {
        seen.push(format!("{seat} {}", observation.get()));
        async { Json::parse(r#"[{"add":2}]"#) }
    };
    let played = run_episode(&server.client(), &reset, &mut policy).await.expect("an episode");
    assert_eq!(seen[1], r#"p0 {"seat":"p0","tick":1,"score":2.0}"#);
    assert_eq!((seen.len(), played.steps.len(), played.game.as_str()), (3, 3, "g"));
    assert_eq!((played.total_reward, played.score, played.rank), (6.0, Some(6.0), Some(1)));
    assert_eq!(played.outcome.as_deref(), Some("won"));
    assert_eq!(played.completion_reason.as_deref(), Some("game_complete"));
    assert!(played.policy_seats.is_empty() && played.scores.is_empty(), "maps are for several seats of ours");
    let ticks: Vec<_> = server.bodies("/step").iter().map(|body| body["expected_tick"].clone()).collect();
    assert_eq!(ticks, [0, 1, 2]);
    assert!(server.closes().is_empty(), "it closed itself");
    assert_eq!(server.bodies("/episodes")[0], value!({"game": "g", "seed": 7, "opponent_seats": 1}));
}

#[tokio::test]
async fn every_seat_of_ours_is_played() {
    // test_run_episode_drives_all_policy_seats.
    let server = World { seats: 2, length: 1, ..World::default() }.start().await;
    let mut policy = async |_seen: Json, seat: Seat| {
        Json::parse(&format!(r#"{{"add":{}}}"#, if seat.as_str() == "p0" { 1 } else { 3 }))
    };
    let played = play(&server, &mut policy).await.expect("an episode");
    assert_eq!(server.bodies("/step")[0]["actions"], value!({"p0": {"add": 1}, "p1": {"add": 3}}));
    assert_eq!(names(&played.policy_seats), ["p0", "p1"]);
    assert_eq!((played.total_reward, played.scores.get(&"p1".into())), (1.0, Some(&3.0)));
    let step = &played.steps[0];
    assert_eq!(step.actions.get(&"p1".into()).map(Json::get), Some(r#"{"add":3}"#));
    assert_eq!(step.rewards.get(&"p1".into()), Some(&3.0));
    assert_eq!(step.observations.len(), 2);
    let written = serde_json::to_value(&played).expect("JSON");
    assert_eq!((&written["outcomes"], &written["rank"]), (&value!({"p0": "lost", "p1": "won"}), &value!(2)));
}

#[tokio::test]
async fn only_the_seat_on_turn_is_asked() {
    let server = World { seats: 2, turn_based: true, ..World::default() }.start().await;
    let played = play(&server, &mut adds(1)).await.expect("an episode");
    let acted: Vec<_> = server.bodies("/step").iter().map(|body| body["actions"].clone()).collect();
    assert_eq!(
        acted,
        [value!({"p0": [{"add": 1}]}), value!({"p1": [{"add": 1}]}), value!({"p0": [{"add": 1}]})]
    );
    assert!(played.steps[1].action.is_none() && played.steps[1].observation.is_some());
}

#[tokio::test]
async fn one_player_has_neither_rank_nor_outcome() {
    // test_run_episode_solo_rank_outcome_none.
    let server = World::default().start().await;
    let played = play(&server, &mut adds(1)).await.expect("an episode");
    assert_eq!((played.score, played.rank, played.outcome.as_deref()), (Some(3.0), None, None));
    let written = serde_json::to_value(&played).expect("JSON");
    assert!(written["rank"].is_null() && written.get("scores").is_none());
}

#[tokio::test]
async fn seats_that_are_out_are_labelled_at_every_step() {
    // test_run_episode_surfaces_failed_seats, test_run_episode_surfaces_eliminated_seats.
    let server = World { seats: 3, ..World::default() }.start().await;
    let mut policy = async |_seen: Json, seat: Seat| {
        Json::parse(match seat.as_str() {
            "p1" => "\"not an action\"",
            "p2" => r#"{"resign":true}"#,
            _ => r#"{"add":1}"#,
        })
    };
    let played = play(&server, &mut policy).await.expect("an episode");
    for (failed, eliminated) in played
        .steps
        .iter()
        .map(|step| (&step.failed_seats, &step.eliminated_seats))
        .chain([(&played.failed_seats, &played.eliminated_seats)])
    {
        assert_eq!((names(failed), names(eliminated)), (vec!["p1", "p2"], vec!["p2"]));
    }
    assert_eq!(server.bodies("/step")[1]["actions"], value!({"p0": {"add": 1}}));
    assert_eq!(played.completion_reason.as_deref(), Some("game_complete"));
}

#[tokio::test]
async fn labels_of_a_single_seat_survive_a_natural_end() {
    // test_run_episode_single_seat_labels_survive_natural_completion.
    for (labels, failed, eliminated) in [
        (value!({"failed_seats": ["p0"]}), vec!["p0"], vec![]),
        (value!({"failed_seats": ["p0"], "eliminated_seats": ["p0"]}), vec!["p0"], vec!["p0"]),
        (value!({}), vec![], vec![]),
    ] {
        let mut end = value!({"reward": 1.5, "done": true, "tick": 1, "score": 3.5, "completion_reason": "game_complete"});
        end.as_object_mut().unwrap().extend(labels.as_object().unwrap().clone());
        let reset = value!({"episode_id": "ep-1", "game": "ice", "observation": {}, "policy_seat": "p0",
            "policy_seats": ["p0"], "done": false, "tick": 0});
        let server = scripted(reset, vec![end]).await;
        let played = play(&server, &mut adds(1)).await.expect("an episode");
        for (is_failed, is_eliminated) in [
            (&played.failed_seats, &played.eliminated_seats),
            (&played.steps[0].failed_seats, &played.steps[0].eliminated_seats),
        ] {
            assert_eq!((names(is_failed), names(is_eliminated)), (failed.clone(), eliminated.clone()));
        }
        assert_eq!(played.completion_reason.as_deref(), Some("game_complete"));
    }
}

#[tokio::test]
async fn sparse_answers_are_enough() {
    // The answers of tests/test_rollouts.py `rollout_handler`: no seats named, no ticks at the reset.
    let reset =
        value!({"episode_id": "ep-1", "observation": {"board": [0]}, "policy_seat": "p0", "done": false});
    let steps = vec![
        value!({"reward": 1.0, "done": false, "tick": 1, "observation": {"board": [1]}}),
        value!({"reward": null, "done": true, "outcome": "won"}),
    ];
    let server = scripted(reset, steps).await;
    let played = play(&server, &mut adds(1)).await.expect("an episode");
    assert_eq!((played.total_reward, played.outcome.as_deref()), (1.0, Some("won")));
    assert_eq!(played.steps[1].observation.as_ref().map(Json::get), Some(r#"{"board":[1]}"#));
    assert_eq!(server.bodies("/step")[0]["expected_tick"], 0);
    assert_eq!(server.bodies("/step")[1]["expected_tick"], 1);
}

#[tokio::test]
async fn an_episode_that_is_over_at_the_reset_has_no_steps() {
    // test_run_episode_threads_opponent_filter, test_run_episode_with_tags_returns_resolved_game.
    let reset = value!({"episode_id": "ep-1", "game": "resolved_game", "observation": {}, "policy_seat": "p0",
        "done": true, "score": 1.5, "rank": 1, "outcome": "won", "completion_reason": "game_complete"});
    let server = scripted(reset, Vec::new()).await;
    let request = ResetEpisode::new("run-1").tags(["strategy"]).opponent_models(["m"]);
    let played = run_episode(&server.client(), &request, &mut adds(1)).await.expect("an episode");
    assert_eq!((played.game.as_str(), played.score, played.steps.len()), ("resolved_game", Some(1.5), 0));
    assert_eq!(played.total_reward.to_bits(), 0.0_f64.to_bits());
    assert_eq!(server.bodies("/episodes")[0], value!({"tags": ["strategy"], "opponent_models": ["m"]}));
}

#[tokio::test]
async fn a_policys_error_closes_the_episode_and_comes_through() {
    // test_run_episode_cleanup_on_act_fn_error.
    let server = World::default().start().await;
    let mut turns = 0;
    let mut policy = |_seen: Json, _seat: Seat| {
        turns += 1;
        let failed = turns > 1;
        async move { if failed { Err(BoxError::from("the model is down")) } else { Ok(json("[]")) } }
    };
    let Err(Error::Policy(why)) = play(&server, &mut policy).await else { panic!("the policy failed") };
    assert_eq!(why.to_string(), "the model is down");
    assert_eq!((server.closes(), server.count("/step")), (vec!["ep-0".to_owned()], 1));
}

#[tokio::test]
async fn a_failed_step_closes_the_episode_even_if_closing_fails() {
    // test_run_episode_cleanup_on_step_error.
    let server = World::default().start().await;
    server.fault(1, "/step", Fault::Refuse(500, "INTERNAL_ERROR"));
    server.fault(0, "ep-0/close", Fault::Refuse(500, "INTERNAL_ERROR"));
    let error = play(&server, &mut adds(1)).await.expect_err("a failure");
    assert_eq!(error.code(), Some("INTERNAL_ERROR"));
    assert_eq!(server.closes(), ["ep-0"]);
}

#[tokio::test]
async fn a_lost_step_does_not_end_the_episode() {
    // test_run_episode_step_transport_retry.
    for fault in [Fault::Cut, Fault::Lose] {
        let server = World::default().start().await;
        server.fault(1, "/step", fault);
        let played = play(&server, &mut adds(2)).await.expect("an episode");
        assert_eq!((played.steps.len(), played.score, server.count("/step")), (3, Some(6.0), 4));
        assert!(server.closes().is_empty());
    }
}

#[tokio::test]
async fn a_cancelled_episode_is_closed_in_the_background() {
    let server = World::default().start().await;
    server.fault(1, "/step", Fault::Hang);
    let client = server.client();
    let playing = tokio::spawn(async move { run_episode(&client, &game(), &mut adds(1)).await.map(|_| ()) });
    until("the second step", || server.count("/step") == 2).await;
    playing.abort();
    until("closing", || server.closes() == ["ep-0"]).await;
}

#[tokio::test]
async fn an_episode_is_not_started_without_a_game() {
    let server = World::default().start().await;
    let error = run_episode(&server.client(), &ResetEpisode::new("run-1"), &mut adds(1)).await;
    assert!(matches!(error, Err(Error::Api(_))) && server.asked().is_empty());
}
