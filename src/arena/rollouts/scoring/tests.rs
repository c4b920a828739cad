use serde_json::{Value, json};

use super::rank::ranking;
use super::*;
use crate::api::model::Json;
use crate::arena::engine::seats::SeatMap;
use crate::arena::engine::{Game, Input, MatchSetup};
use crate::arena::games::GAMES;
use crate::arena::league::Wanted;
use crate::arena::rollouts::scoring::candidates::Candidates;

mod solved;

fn game(slug: &str) -> &'static dyn Game {
    *GAMES.iter().find(|game| game.spec().slug == slug).unwrap()
}

fn start(slug: &str) -> Box<dyn Play> {
    let spec = game(slug).spec();
    let setup = MatchSetup {
        config: &json!({}),
        seats: spec.default_seats,
        max_ticks: spec.canonical_ticks,
        seed: 5,
    };
    game(slug).start(&setup).unwrap()
}

fn on_turn(play: &dyn Play) -> Seat {
    play.probe().turn.seats().iter().next().unwrap()
}

fn trial(slug: &str, play: &dyn Play, samples: u32) -> Trial {
    let (probe, policy) = (play.probe(), SeatSet::first(play.probe().player_count));
    let rosters = Rosters::new(game(slug).spec(), &probe, policy, &Wanted::any()).unwrap();
    Trial { seat: on_turn(play), policy, samples, max_ticks: 1000, rosters, random_opponents: false }
}

fn candidates(actions: &[Value]) -> Candidates {
    let actions: Vec<Json> = actions.iter().map(|action| Json::parse(&action.to_string()).unwrap()).collect();
    Candidates::of_user(&actions).unwrap()
}

fn scored(play: &dyn Play, trial: &Trial, actions: &[Value]) -> (Vec<Scored>, u64) {
    let candidates = candidates(actions);
    let list: Vec<_> = candidates.list().iter().map(Some).collect();
    score(play, trial, &list, &CancellationToken::new()).unwrap()
}

fn drop(column: u8) -> Value {
    json!({"action": "drop", "column": column})
}

#[test]
fn a_winning_move_is_worth_all_and_what_the_game_refuses_nothing() {
    let mut play = start("connect_four");
    for column in [3, 0, 3, 0, 3, 0] {
        let inputs = SeatMap::from_iter([(on_turn(play.as_ref()), Input::Act(drop(column)))]);
        play.submit(&inputs);
    }
    let before = play.digest();
    let trial = trial("connect_four", play.as_ref(), 10);
    let (rows, _) = scored(play.as_ref(), &trial, &[drop(6), drop(9), drop(3), json!("left")]);
    let summaries: Vec<&Summary> = rows.iter().map(|row| &row.summary).collect();
    assert_eq!(ranking(summaries.into_iter())[0], (2, 1));
    let win = &rows[2].summary;
    assert_eq!((win.score.mean, win.win_rate, win.scored, win.failed), (100.0, Some(1.0), 10, 0));
    for refused in [&rows[1], &rows[3]] {
        let summary = &refused.summary;
        assert_eq!((summary.scored, summary.failed, summary.failure_rate), (0, 10, 1.0));
    }
    assert!(rows[1].refused.as_ref().unwrap().contains("column"), "{:?}", rows[1].refused);
    assert!(rows[3].refused.as_ref().unwrap().contains("object"), "{:?}", rows[3].refused);
    // A win takes one tick, what is refused none.
    assert_eq!(scored(play.as_ref(), &trial, &[drop(9), drop(3)]).1, 10);
    assert_eq!(play.digest(), before, "the episode stays as it is");
}

#[test]
fn without_a_first_action_the_position_is_played_on() {
    let play = start("multi_reversi");
    let trial = Trial { max_ticks: 3, ..trial("multi_reversi", play.as_ref(), 4) };
    let (rows, ticks) = score(play.as_ref(), &trial, &[None], &CancellationToken::new()).unwrap();
    assert_eq!((rows[0].summary.scored, ticks), (4, 12));
}

/// Sample `s` must not depend on which other candidates there are, or in what order.
#[test]
fn candidates_are_compared_in_pairs() {
    let play = start("liars_dice");
    let mut legal = Candidates::default();
    let seat = on_turn(play.as_ref());
    legal.top_up(game("liars_dice"), play.as_ref(), seat, std::iter::empty(), 3);
    let actions: Vec<Value> = legal.list().iter().map(|candidate| candidate.action.clone()).collect();
    let paired = trial("liars_dice", play.as_ref(), 12);
    let independent = Trial { random_opponents: true, ..trial("liars_dice", play.as_ref(), 12) };
    let reversed: Vec<Value> = actions.iter().rev().cloned().collect();
    let in_order = |trial: &Trial, actions: &[Value]| scored(play.as_ref(), trial, actions).0;
    let back = |mut rows: Vec<Scored>| {
        rows.reverse();
        rows
    };
    assert_eq!(in_order(&paired, &actions), back(in_order(&paired, &reversed)));
    assert_eq!(
        in_order(&independent, &actions),
        in_order(&independent, &actions),
        "one question, one answer"
    );
    assert_ne!(in_order(&independent, &actions), back(in_order(&independent, &reversed)));
}

#[test]
fn samples_differ_by_luck() {
    let play = start("pot_limit_omaha_hilo");
    let trial = Trial { max_ticks: 30, ..trial("pot_limit_omaha_hilo", play.as_ref(), 8) };
    let (rows, _) = score(play.as_ref(), &trial, &[None], &CancellationToken::new()).unwrap();
    assert!(rows[0].summary.score.std_dev > 0.0, "{:?}", rows[0].summary);
}

#[test]
fn an_arena_that_ends_stops_playing() {
    let play = start("connect_four");
    let stop = CancellationToken::new();
    stop.cancel();
    let error = score(play.as_ref(), &trial("connect_four", play.as_ref(), 5), &[None], &stop).unwrap_err();
    assert_eq!(error.code(), "SERVER_DRAINING");
}
