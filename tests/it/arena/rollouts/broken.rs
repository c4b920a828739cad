//! A game with a bug: what it costs, and that others go on.

use std::any::Any;

use gert::arena::engine::playout::{Playout, PlayoutEnd, UnknownPlayer};
use gert::arena::engine::seats::{Seat, SeatMap};
use gert::arena::engine::{
    BotInfo, ConfigError, Game, GameSpec, Input, MatchSetup, Play, Player, Probe, Standing, StepReport,
    Verdict,
};
use serde_json::{Value, json};

use super::super::{Server, code, settings};
use super::{Run, balance, drop_for};

/// Connect four that breaks in its third tick.
struct Breaking(&'static dyn Game);

struct BreakingPlay(Box<dyn Play>);

impl Game for Breaking {
    fn spec(&self) -> &'static GameSpec {
        self.0.spec()
    }

    fn start(&self, setup: &MatchSetup<'_>) -> Result<Box<dyn Play>, ConfigError> {
        Ok(Box::new(BreakingPlay(self.0.start(setup)?)))
    }

    fn bots(&self) -> Vec<BotInfo> {
        self.0.bots()
    }

    fn player(&self, name: &str, stream: u64) -> Option<Box<dyn Player>> {
        self.0.player(name, stream)
    }
}

impl Play for BreakingPlay {
    fn probe(&self) -> Probe {
        self.0.probe()
    }

    fn observe(&self, seat: Seat, feedback: &[String], out: &mut Vec<u8>) {
        self.0.observe(seat, feedback, out);
    }

    fn judge(&self, seat: Seat, action: &Value) -> Result<(), Verdict> {
        self.0.judge(seat, action)
    }

    fn submit(&mut self, inputs: &SeatMap<Input>) -> StepReport {
        let report = self.0.submit(inputs);
        assert!(report.tick < 3, "a bug in the game");
        report
    }

    fn fail(&mut self, seat: Seat, why: &str) {
        self.0.fail(seat, why);
    }

    fn standings(&self) -> SeatMap<Standing> {
        self.0.standings()
    }

    fn fork(&self) -> Box<dyn Play> {
        Box::new(Self(self.0.fork()))
    }

    fn playout(&self, order: &Playout<'_>) -> Result<PlayoutEnd, UnknownPlayer> {
        self.0.playout(order)
    }

    fn reseed(&mut self, stream: u64) {
        self.0.reseed(stream);
    }

    fn redeal(&self, viewer: Seat, stream: u64) -> Box<dyn Play> {
        Box::new(Self(self.0.redeal(viewer, stream)))
    }

    fn digest(&self) -> u64 {
        self.0.digest()
    }

    fn as_any(&self) -> &dyn Any {
        self.0.as_any()
    }
}

#[tokio::test]
async fn a_game_that_breaks_closes_its_episode_and_bills_what_was_played() {
    let mut settings = settings();
    let connect_four = gert::arena::games::find("connect_four").unwrap();
    let games: [&'static dyn Game; 1] = [Box::leak(Box::new(Breaking(connect_four)))];
    settings.games = Box::leak(Box::new(games));
    let server = Server::with(settings).await;
    let run = Run::open(&server, 2).await;
    let (one, two) = (
        run.reset(json!({ "game": "connect_four" })).await,
        run.reset(json!({ "game": "connect_four" })).await,
    );
    let mut last = one.clone();
    for column in [0, 1] {
        last = run.step(&one, json!({ "actions": drop_for(&last, column) })).await;
    }
    let steps = json!({ "steps": [
        { "episode_id": one["episode_id"], "actions": drop_for(&last, 0), "expected_tick": 2 },
        { "episode_id": two["episode_id"], "actions": drop_for(&two, 0), "expected_tick": 0 },
    ] });
    let answer = run.ok("/steps", steps.clone()).await;
    assert_eq!(answer["results"][0]["error"]["code"], "INTERNAL_ERROR");
    assert_eq!(answer["results"][0]["error"]["ticks_used"], 3);
    assert_eq!((&answer["results"][1]["ok"], &answer["results"][1]["tick"]), (&json!(true), &json!(1)));
    let again = run.ok("/steps", steps).await;
    assert_eq!(again["results"][0]["error"]["code"], "EPISODE_NOT_FOUND");
    let mut last = answer["results"][1].clone();
    last = run.step(&two, json!({ "actions": drop_for(&last, 1) })).await;
    let (status, answer) = run.try_step(&two, json!({ "actions": drop_for(&last, 1) })).await;
    assert_eq!((status, code(&answer)), (500, "INTERNAL_ERROR"));
    assert_eq!(run.close().await["ticks_used"], 6);
    assert_eq!(balance(&server).await, json!({ "credits": 999.9976, "tier": "arena", "held": 0 }));
}
