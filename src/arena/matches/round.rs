//! One match, tick by tick.

use std::time::{Duration, Instant};

use serde_json::{Value, json};
use tokio::task::spawn_blocking;
use tokio_util::sync::CancellationToken;

use super::failure::{Failure, FailureCode};
use super::live::{Answer, Fault, Live};
use super::log::LogWriter;
use super::{MatchError, MatchRecord, Order, Player, STRIKES, SeatRecord};
use crate::arena::engine::observation::Number;
use crate::arena::engine::rng::mix;
use crate::arena::engine::seats::{Seat, SeatMap};
use crate::arena::engine::{Input, Play, Player as Bot, Verdict};
use crate::policy::Hello;

/// Tells the seed of a program from that of the match: who knew that would know all chance to come.
const SALT: u64 = 0x7365_6564;
/// Bits that a JSON number keeps in every language.
const JSON_BITS: u32 = 53;

/// Somebody at a seat.
pub(super) enum Chair {
    /// A built-in player; absent while it thinks.
    BuiltIn(Option<Box<dyn Bot>>),
    /// A program.
    Program(Box<Guest>),
}

/// A program at a seat, and what it has done in this match.
#[derive(Default)]
pub(super) struct Guest {
    /// Absent once the seat has failed.
    live: Option<Live>,
    strikes: u32,
    failure: Option<Failure>,
    thought: Duration,
    cpu: Duration,
}

impl Chair {
    pub(super) fn built_in(order: &Order, nth: usize, name: &str) -> Result<Self, MatchError> {
        let unknown = || MatchError::UnknownPlayer { slug: order.game.spec().slug, name: name.to_owned() };
        // The stream of a playout's players, so that the same match can be had from one.
        let bot = order.game.player(name, mix(&[order.seed, nth as u64])).ok_or_else(unknown)?;
        Ok(Self::BuiltIn(Some(bot)))
    }

    pub(super) fn program(live: Live) -> Self {
        Self::Program(Box::new(Guest { live: Some(live), ..Guest::default() }))
    }

    pub(super) fn into_live(self) -> Option<Live> {
        match self {
            Self::BuiltIn(_) => None,
            Self::Program(guest) => guest.live,
        }
    }
}

/// Plays a match in which there are programs.
pub(super) async fn play(
    order: &Order,
    mut play: Box<dyn Play>,
    chairs: &mut [Chair],
) -> Result<MatchRecord, MatchError> {
    let began = Instant::now();
    let mut log = LogWriter::new();
    for (seat, guest) in guests(chairs) {
        let hello = hello(order, seat);
        if let Some(live) = &mut guest.live {
            live.open(&hello);
        }
    }
    loop {
        let probe = play.probe();
        let asked = probe.turn.seats();
        if asked.is_empty() {
            break;
        }
        // Built-in players first, and one program after the other: no clock runs while another thinks.
        let mut inputs;
        (play, inputs) = think(play, chairs).await?;
        for (seat, guest) in guests(chairs).filter(|(seat, _)| asked.contains(*seat)) {
            let mut observation = Vec::new();
            play.observe(seat, &[], &mut observation);
            let observation =
                String::from_utf8(observation).map_err(|why| MatchError::Host(why.to_string()))?;
            let answer = guest.ask(order, seat, probe.tick, observation).await?;
            inputs.insert(seat, guest.judge(&*play, seat, answer));
        }
        log.push(&inputs);
        play.submit(&inputs);
    }
    let wall = began.elapsed();
    let mut record = record(order, &*play, log, wall);
    for (seat, guest) in guests(chairs) {
        let row = &mut record.seats[seat.index()];
        guest.finish(row, record.end.as_str()).await;
        record.cpu += row.cpu;
    }
    Ok(record)
}

/// Plays a match without programs, off the async threads.
pub(super) async fn play_built_in(
    order: &Order,
    mut play: Box<dyn Play>,
    stop: &CancellationToken,
) -> Result<MatchRecord, MatchError> {
    let mut chairs = Vec::new();
    for (nth, player) in order.players.iter().enumerate() {
        if let Player::BuiltIn(name) = player {
            chairs.push(Chair::built_in(order, nth, name)?);
        }
    }
    let (order, stop) = (order.clone(), stop.clone());
    let played = spawn_blocking(move || {
        let began = Instant::now();
        let mut log = LogWriter::new();
        let mut bots = bots(&mut chairs);
        while !play.probe().turn.seats().is_empty() {
            if stop.is_cancelled() {
                return Err(MatchError::Cancelled);
            }
            let inputs = act(&*play, &mut bots)?;
            log.push(&inputs);
            play.submit(&inputs);
        }
        Ok(record(&order, &*play, log, began.elapsed()))
    });
    played.await.map_err(|why| MatchError::Host(why.to_string()))?
}

fn guests(chairs: &mut [Chair]) -> impl Iterator<Item = (Seat, &mut Guest)> {
    chairs.iter_mut().enumerate().filter_map(|(nth, chair)| match chair {
        Chair::Program(guest) => Some((Seat::new(nth as u8), &mut **guest)),
        Chair::BuiltIn(_) => None,
    })
}

type Bots = Vec<(Seat, Box<dyn Bot>)>;

fn bots(chairs: &mut [Chair]) -> Bots {
    let seated = chairs.iter_mut().enumerate();
    seated
        .filter_map(|(nth, chair)| match chair {
            Chair::BuiltIn(bot) => Some((Seat::new(nth as u8), bot.take()?)),
            Chair::Program(_) => None,
        })
        .collect()
}

/// Lets the built-in players on turn think, off the async threads.
async fn think(
    play: Box<dyn Play>,
    chairs: &mut [Chair],
) -> Result<(Box<dyn Play>, SeatMap<Input>), MatchError> {
    let asked = play.probe().turn.seats();
    let is_asked = |nth: usize, chair: &Chair| {
        matches!(chair, Chair::BuiltIn(_)) && asked.contains(Seat::new(nth as u8))
    };
    if !chairs.iter().enumerate().any(|(nth, chair)| is_asked(nth, chair)) {
        return Ok((play, SeatMap::default()));
    }
    let mut bots = bots(chairs);
    let thought = spawn_blocking(move || act(&*play, &mut bots).map(|inputs| (play, bots, inputs)));
    let (play, bots, inputs) = thought.await.map_err(|why| MatchError::Host(why.to_string()))??;
    for (seat, bot) in bots {
        chairs[seat.index()] = Chair::BuiltIn(Some(bot));
    }
    Ok((play, inputs))
}

/// What the built-in players on turn do.
fn act(play: &dyn Play, bots: &mut Bots) -> Result<SeatMap<Input>, MatchError> {
    let asked = play.probe().turn.seats();
    let on_turn = bots.iter_mut().filter(|(seat, _)| asked.contains(*seat));
    let act = |(seat, bot): &mut (Seat, Box<dyn Bot>)| {
        let action = bot.act(play, *seat);
        let illegal =
            |verdict| MatchError::Host(format!("a built-in player's action is refused: {verdict:?}"));
        play.judge(*seat, &action).map_err(illegal)?;
        Ok((*seat, Input::Act(action)))
    };
    on_turn.map(act).collect()
}

impl Guest {
    /// Asks the program. What it fails by is kept, and its process is gone.
    async fn ask(
        &mut self,
        order: &Order,
        seat: Seat,
        tick: u32,
        observation: String,
    ) -> Result<Option<Answer>, MatchError> {
        let Some(live) = &mut self.live else { return Ok(None) };
        let mut answer = live.ask(tick, observation.clone()).await;
        if matches!(answer, Err(Fault::Left)) {
            *live = live.again().map_err(MatchError::Host)?;
            live.open(&hello(order, seat));
            answer = live.ask(tick, observation).await;
        }
        let failure = match answer {
            Ok(answer) => return Ok(Some(answer)),
            Err(Fault::Seat(failure)) => failure,
            Err(Fault::Left) => Failure::new(FailureCode::Crashed, "it left before it was asked"),
            Err(Fault::Host(why)) => return Err(MatchError::Host(why)),
        };
        self.cpu = live.cpu();
        self.live = None;
        self.failure = Some(failure);
        Ok(None)
    }

    /// What the seat plays: its action, something in its place, or nothing any more.
    fn judge(&mut self, play: &dyn Play, seat: Seat, answer: Option<Answer>) -> Input {
        let Some(Answer { action, late, latency }) = answer else { return self.out() };
        self.thought += latency;
        if late
            && self.strike(FailureCode::Timeout, || {
                format!("the {STRIKES}rd strike is an answer after {} ms", latency.as_millis())
            })
        {
            return self.out();
        }
        let (code, why) = match play.judge(seat, &action) {
            Ok(()) => return Input::Act(action),
            Err(Verdict::Rejected(reasons)) => (FailureCode::RejectedAction, reasons.join("; ")),
            Err(Verdict::Malformed(why)) => (FailureCode::MalformedAction, why),
            Err(verdict) => (FailureCode::MalformedAction, format!("{verdict:?}")),
        };
        let is_out = self.strike(code, || format!("the {STRIKES}rd strike is `{}`: {why}", excerpt(&action)));
        if is_out { self.out() } else { Input::Pass }
    }

    /// Counts a strike; true for the one that takes the seat out.
    fn strike(&mut self, code: FailureCode, detail: impl FnOnce() -> String) -> bool {
        self.strikes += 1;
        let is_out = self.strikes >= STRIKES;
        if is_out {
            self.failure = Some(Failure::new(code, detail()));
        }
        is_out
    }

    fn out(&self) -> Input {
        let why = self.failure.as_ref().map(|failure| format!("{}: {}", failure.code, failure.detail));
        Input::Fail(why.unwrap_or_default())
    }

    /// Tells the program how it came out, and the record what it did. A process whose seat has failed is ended.
    async fn finish(&mut self, row: &mut SeatRecord, reason: &str) {
        if let Some(live) = &mut self.live {
            self.cpu = live.cpu();
            match &mut self.failure {
                None => live.close(&json!({
                    "score": Number(row.score), "rank": row.rank, "outcome": row.outcome, "reason": reason,
                })),
                Some(failure) => {
                    failure.stderr = live.end().await;
                    self.live = None;
                }
            }
        }
        row.strikes = self.strikes;
        row.failure.clone_from(&self.failure);
        row.thought = self.thought;
        row.cpu = self.cpu;
    }
}

fn hello(order: &Order, seat: Seat) -> Hello {
    let spec = order.game.spec();
    let mut config = order.config.clone();
    if spec.turn_isolated {
        config["turn_isolated"] = true.into();
    }
    Hello {
        game: spec.slug.into(),
        game_version: Some(spec.game_version.into()),
        seat: seat.to_string(),
        player_count: order.players.len() as u32,
        rules: spec.prompt.into(),
        config,
        seed: Some(mix(&[order.seed, seat.index() as u64, SALT]) >> (u64::BITS - JSON_BITS)),
    }
}

fn record(order: &Order, play: &dyn Play, log: LogWriter, wall: Duration) -> MatchRecord {
    let (probe, standings) = (play.probe(), play.standings());
    let seat = |seat| {
        let standing = standings.get(seat);
        SeatRecord {
            score: probe.scores.get(seat).copied().unwrap_or_default(),
            rank: standing.map_or(0, |standing| standing.rank),
            outcome: standing.map_or("lost", |standing| standing.outcome),
            failure: None,
            strikes: 0,
            thought: Duration::ZERO,
            cpu: Duration::ZERO,
        }
    };
    MatchRecord {
        seed: order.seed,
        ticks: probe.tick,
        end: probe.over.unwrap_or(crate::arena::engine::EndReason::MaxTicks),
        seats: Seat::first(probe.player_count).map(seat).collect(),
        wall,
        cpu: Duration::ZERO,
        log: log.finish(),
    }
}

fn excerpt(action: &Value) -> String {
    crate::text::excerpt(&action.to_string(), 80).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::arena::games;

    fn judged(answers: &[(Value, bool)]) -> (Vec<Input>, Guest) {
        let game = games::find("connect_four").unwrap();
        let players = vec![Player::BuiltIn("random".into()); 2];
        let play = game.start(&Order::new(game, 1, players).setup()).unwrap();
        let mut guest = Guest::default();
        let judge = |(action, late): &(Value, bool)| {
            let answer = Answer { action: action.clone(), late: *late, latency: Duration::from_millis(150) };
            guest.judge(&*play, Seat::new(0), Some(answer))
        };
        (answers.iter().map(judge).collect(), guest)
    }

    #[test]
    fn a_late_answer_is_played_and_the_third_is_the_last() {
        // arena.md §9.1.
        let drop = json!([{"action": "drop", "column": 3}]);
        let (inputs, guest) = judged(&[(drop.clone(), true), (drop.clone(), true), (drop.clone(), true)]);
        assert_eq!(inputs[..2], [Input::Act(drop.clone()), Input::Act(drop)]);
        let failure = guest.failure.unwrap();
        assert_eq!((failure.code, guest.strikes), (FailureCode::Timeout, 3));
        assert!(failure.detail.contains("150 ms"), "{}", failure.detail);
        assert_eq!(inputs[2], Input::Fail(format!("timeout: {}", failure.detail)));
        assert_eq!(guest.thought, Duration::from_millis(450));
    }

    #[test]
    fn strikes_of_all_kinds_count_together_and_the_last_names_the_failure() {
        // arena.md §2.3: something else is played for the first two.
        let (inputs, guest) = judged(&[
            (json!(5), false),
            (json!([{"action": "drop", "column": 3}]), true),
            (json!([]), false),
        ]);
        assert_eq!(inputs[0], Input::Pass);
        assert_eq!(guest.failure.unwrap().code, FailureCode::RejectedAction);
        let (_, guest) = judged(&[(json!(5), true), (json!(null), false)]);
        assert_eq!(
            guest.failure.unwrap().code,
            FailureCode::MalformedAction,
            "late and malformed are two strikes"
        );
    }

    #[test]
    fn a_program_is_not_told_the_seed_of_the_match() {
        let game = games::find("connect_four").unwrap();
        let order = Order::new(game, 7, vec![Player::BuiltIn("random".into()); 2]);
        let seeds: Vec<u64> = Seat::first(2).map(|seat| hello(&order, seat).seed.unwrap()).collect();
        assert!(
            seeds[0] != seeds[1] && seeds.iter().all(|seed| *seed != 7 && *seed < 1 << JSON_BITS),
            "{seeds:?}"
        );
    }
}
