//! Makes a [`Play`] of any [`Rules`], and a [`Game`] of the type that has the rules.
//!
//! Everything that all games share is here and nowhere else: the way from raw JSON to a checked action, what a
//! tick does to seats that sent nothing or nonsense, rewards, places, and the common members of an observation.
//! Deadlines, strikes and retries belong to hosts. Start at [`Table::read`] and [`Table::submit`].

use std::any::Any;
use std::hash::{Hash, Hasher};

use arrayvec::ArrayVec;
use serde::Serialize;
use serde_json::Value;

use super::digest::Fnv;
use super::events::{EventLog, NoEvents};
use super::json;
use super::observation::{Json, Member, Number, ObservationWriter, round4};
use super::player::Hired;
use super::playout::{Playout, PlayoutEnd, UnknownPlayer};
use super::rng::{Pcg, mix};
use super::seats::{Seat, SeatMap, SeatSet};
use super::{
    BotInfo, ConfigError, EndReason, Enumeration, Game, GameSpec, Input, MatchSetup, Play, Player, Probe,
    Rules, SeatReport, Standing, StepReport, Timing, Turn, Verdict,
};

/// Room for the legal actions of most decisions.
const LISTED: usize = 16;

/// A match in progress.
pub struct Table<R: Rules> {
    state: R::State,
    seats: u8,
    max_ticks: u32,
    seed: u64,
    /// Seats that failed and the tick they did it at, oldest first.
    failures: Vec<(Seat, u32)>,
    /// The last seat to leave did so by failing, so the match did not end by its own rules.
    abandoned: bool,
    log: EventLog,
}

impl<R: Rules> Table<R> {
    /// Starts a match.
    ///
    /// # Errors
    /// When the seats, the horizon or the config are not the game's.
    pub fn start(setup: &MatchSetup<'_>) -> Result<Self, ConfigError> {
        let spec = R::spec();
        if !spec.seats.contains(&setup.seats) {
            return Err(ConfigError::Seats { slug: spec.slug, seats: setup.seats, allowed: spec.seats });
        }
        if setup.max_ticks == 0 {
            return Err(ConfigError::Config("`max_ticks` must be at least 1".into()));
        }
        // Serde would also read a struct from a list.
        if !setup.config.is_object() {
            return Err(ConfigError::Config("expected an object".into()));
        }
        let config: R::Config = serde_json::from_value(setup.config.clone())
            .map_err(|err| ConfigError::Config(err.to_string()))?;
        Ok(Self {
            state: R::init(&config, setup.seats, setup.max_ticks, setup.seed)?,
            seats: setup.seats,
            max_ticks: setup.max_ticks,
            seed: setup.seed,
            failures: Vec::new(),
            abandoned: false,
            log: EventLog::new(setup.seats),
        })
    }

    /// The state, for players and searches of the same game.
    pub fn state(&self) -> &R::State {
        &self.state
    }

    /// From raw JSON to an action that may be played now.
    ///
    /// # Errors
    /// [`Verdict::Malformed`] or [`Verdict::Rejected`].
    pub fn read(&self, seat: Seat, raw: &Value) -> Result<R::Action, Verdict> {
        if !self.turn().seats().contains(seat) {
            return Err(Verdict::Rejected(vec![format!("it is not the turn of `{seat}`")]));
        }
        self.read_on_turn(seat, raw)
    }

    pub(super) fn read_on_turn(&self, seat: Seat, raw: &Value) -> Result<R::Action, Verdict> {
        let actions = action_list(raw).map_err(Verdict::Malformed)?;
        if actions.is_empty() {
            return R::noop(&self.state, seat).ok_or_else(|| {
                Verdict::Rejected(vec!["a move is required: `[]` does nothing in this game".into()])
            });
        }
        let action = R::decode(&self.state, seat, actions).map_err(Verdict::Rejected)?;
        R::check(&self.state, seat, &action).map_err(Verdict::Rejected)?;
        Ok(action)
    }

    pub(super) fn tick(&self) -> u32 {
        R::tick(&self.state)
    }

    /// A copy that goes on without telling anybody what happens.
    pub(super) fn without_events(&self) -> Self {
        Self { state: self.state.clone(), failures: self.failures.clone(), log: EventLog::new(0), ..*self }
    }

    pub(super) fn apply_quietly(&mut self, actions: &SeatMap<R::Action>) {
        R::apply(&mut self.state, actions, &mut NoEvents);
    }

    pub(super) fn failed(&self) -> SeatSet {
        self.failures.iter().map(|(seat, _)| *seat).collect()
    }

    /// Seats that the rules removed; a seat that failed first stays a failure.
    fn eliminated(&self) -> SeatSet {
        R::eliminated(&self.state).without(self.failed())
    }

    pub(super) fn over(&self) -> Option<EndReason> {
        if self.abandoned {
            return Some(EndReason::PolicyFailed);
        }
        // A match that completes by play keeps that reason, whoever failed on the way (protocol.md §4.3).
        R::over(&self.state)
            .or_else(|| (!self.failures.is_empty() && self.is_deserted()).then_some(EndReason::PolicyFailed))
    }

    fn is_deserted(&self) -> bool {
        self.failed().union(self.eliminated()) == SeatSet::first(self.seats)
    }

    pub(super) fn turn(&self) -> Turn {
        if self.over().is_some() { Turn::Over } else { R::turn(&self.state) }
    }

    fn scores(&self) -> SeatMap<f64> {
        Seat::first(self.seats).map(|seat| (seat, round4(R::score(&self.state, seat)))).collect()
    }

    /// What a seat on turn plays, and what is to be said of its input.
    fn resolve(&self, seat: Seat, input: Option<&Input>) -> (Verdict, Option<R::Action>) {
        match input {
            Some(Input::Act(raw)) => match self.read_on_turn(seat, raw) {
                Ok(action) => (Verdict::Applied, Some(action)),
                Err(verdict) => (verdict, None),
            },
            Some(Input::Fail(why)) => (Verdict::Failed(why.clone()), None),
            Some(Input::Pass) | None => match self.substitute(seat) {
                Some(action) => (Verdict::Passed, Some(action)),
                None => (Verdict::Failed("nothing could be played in its place".into()), None),
            },
        }
    }

    /// What a seat plays that sent nothing. The draw depends on seed, tick and seat only, so a replay repeats it.
    fn substitute(&self, seat: Seat) -> Option<R::Action> {
        R::noop(&self.state, seat).or_else(|| {
            let mut legal = Vec::new();
            R::legal(&self.state, seat, &mut legal);
            let stream = mix(&[self.seed, u64::from(R::tick(&self.state)), seat.index() as u64]);
            Pcg::new(stream).weighted(&legal).cloned()
        })
    }

    pub(super) fn take_out(&mut self, seat: Seat) {
        let tick = R::tick(&self.state);
        R::fail(&mut self.state, seat, &mut self.log);
        self.failures.push((seat, tick));
        self.abandoned = self.is_deserted();
    }

    /// What decides a seat's place, greater is better: not failed, then the score or how long it lasted.
    fn merit(&self, seat: Seat) -> (bool, f64) {
        match self.failures.iter().find(|(failed, _)| *failed == seat) {
            Some((_, tick)) => (false, f64::from(*tick)),
            None => (true, round4(R::score(&self.state, seat))),
        }
    }
}

impl<R: Rules> Clone for Table<R> {
    fn clone(&self) -> Self {
        Self {
            state: self.state.clone(),
            seats: self.seats,
            max_ticks: self.max_ticks,
            seed: self.seed,
            failures: self.failures.clone(),
            abandoned: self.abandoned,
            log: self.log.clone(),
        }
    }
}

impl<R: Rules> Play for Table<R> {
    fn probe(&self) -> Probe {
        let eliminated = self.eliminated();
        Probe {
            tick: R::tick(&self.state),
            max_ticks: self.max_ticks,
            player_count: self.seats,
            turn: self.turn(),
            failed: self.failed().union(eliminated),
            eliminated,
            scores: self.scores(),
            over: self.over(),
        }
    }

    fn observe(&self, seat: Seat, feedback: &[String], out: &mut Vec<u8>) {
        let spec = R::spec();
        let on_turn = self.turn().seats().contains(seat);
        let (events, score, tick) =
            (self.log.of(seat), Number(R::score(&self.state, seat)), R::tick(&self.state));
        let shared: [Member<'_>; 7] = [
            ("events", &events),
            ("is_your_turn", &on_turn),
            ("max_ticks", &self.max_ticks),
            ("player_count", &self.seats),
            ("score", &score),
            ("seat", &seat),
            ("tick", &tick),
        ];
        let mut shared = ArrayVec::from(shared);
        if spec.timing == Timing::Simultaneous {
            shared.retain(|(key, _)| *key != "is_your_turn");
        }
        let mut writer = ObservationWriter::open(out, &shared);
        if on_turn && spec.enumeration != Enumeration::Absent {
            let mut legal = Vec::with_capacity(LISTED);
            R::legal(&self.state, seat, &mut legal);
            writer.field("_action_space", &ActionSpace(&legal));
        }
        if !feedback.is_empty() {
            writer.field("_rejection_feedback", feedback);
        }
        R::observe(&self.state, seat, &mut writer);
        writer.close();
    }

    fn judge(&self, seat: Seat, action: &Value) -> Result<(), Verdict> {
        self.read(seat, action).map(drop)
    }

    fn submit(&mut self, inputs: &SeatMap<Input>) -> StepReport {
        let before = self.scores();
        let asked = self.turn().seats();
        // All inputs are judged by the state that the players saw.
        let unasked = |seat| (seat, SeatReport { verdict: None, reward: 0.0 });
        let mut seats: SeatMap<SeatReport> = Seat::first(self.seats).map(unasked).collect();
        let mut actions = SeatMap::default();
        for (seat, report) in seats.iter_mut().filter(|(seat, _)| asked.contains(*seat)) {
            let (verdict, action) = self.resolve(seat, inputs.get(seat));
            report.verdict = Some(verdict);
            action.and_then(|action| actions.insert(seat, action));
            self.log.clear(seat);
        }
        let failing = asked.without(actions.seats());
        failing.iter().for_each(|seat| self.take_out(seat));
        // The failures may have ended the match; then nothing is played and the others were not asked after all.
        if !actions.is_empty() && (failing.is_empty() || self.over().is_none()) {
            R::apply(&mut self.state, &actions, &mut self.log);
        } else {
            let called_off = seats.iter_mut().filter(|(seat, _)| actions.get(*seat).is_some());
            called_off.for_each(|(_, report)| report.verdict = None);
        }
        for ((seat, report), (_, before)) in seats.iter_mut().zip(before.iter()) {
            report.reward = round4(round4(R::score(&self.state, seat)) - before);
        }
        StepReport { tick: R::tick(&self.state), seats, over: self.over() }
    }

    fn fail(&mut self, seat: Seat, _why: &str) {
        let out = self.failed().union(self.eliminated());
        if self.over().is_none() && SeatSet::first(self.seats).without(out).contains(seat) {
            self.take_out(seat);
        }
    }

    fn standings(&self) -> SeatMap<Standing> {
        let merits: Vec<(Seat, (bool, f64))> =
            Seat::first(self.seats).map(|seat| (seat, self.merit(seat))).collect();
        let goal = R::goal(&self.state);
        let place = |merit: (bool, f64)| {
            let better = merits.iter().filter(|(_, other)| *other > merit).count();
            let equal = merits.iter().filter(|(_, other)| *other == merit).count();
            let outcome = match (merit.0, goal, better, equal) {
                (true, Some(true), ..) | (true, None, 0, 1) => "won",
                (true, None, 0, _) => "draw",
                _ => "lost",
            };
            Standing { rank: better as u32 + 1, outcome }
        };
        merits.iter().map(|&(seat, merit)| (seat, place(merit))).collect()
    }

    fn playout(&self, order: &Playout<'_>) -> Result<PlayoutEnd, UnknownPlayer> {
        self.finish(order)
    }

    fn fork(&self) -> Box<dyn Play> {
        Box::new(self.clone())
    }

    fn redeal(&self, viewer: Seat, stream: u64) -> Box<dyn Play> {
        let mut other = self.clone();
        let mut rng = Pcg::new(mix(&[stream, 0]));
        R::redeal(&mut other.state, viewer, &mut rng);
        R::reseed(&mut other.state, mix(&[stream, 1]));
        Box::new(other)
    }

    fn reseed(&mut self, stream: u64) {
        R::reseed(&mut self.state, stream);
    }

    fn digest(&self) -> u64 {
        let mut hasher = Fnv::default();
        self.state.hash(&mut hasher);
        self.failures.hash(&mut hasher);
        hasher.finish()
    }

    fn as_any(&self) -> &dyn Any {
        self
    }
}

impl<R: Rules> Game for R {
    fn spec(&self) -> &'static GameSpec {
        R::spec()
    }

    fn start(&self, setup: &MatchSetup<'_>) -> Result<Box<dyn Play>, ConfigError> {
        Ok(Box::new(Table::<R>::start(setup)?))
    }

    fn bots(&self) -> Vec<BotInfo> {
        R::bots().iter().map(|bot| BotInfo { name: bot.name, about: bot.about }).collect()
    }

    fn player(&self, name: &str, stream: u64) -> Option<Box<dyn Player>> {
        Some(Box::new(Hired::<R>::hire(name, stream)?))
    }
}

/// Legal actions and their weights. Often the longest member by far, so it is written in as few pieces as can be.
struct ActionSpace<'a, A>(&'a [(A, f32)]);

impl<A: Serialize> Json for ActionSpace<'_, A> {
    fn write(&self, out: &mut Vec<u8>) {
        out.push(b'[');
        for (action, weight) in self.0 {
            out.extend_from_slice(br#"{"action":"#);
            json::write(out, action);
            out.extend_from_slice(br#","weight":"#);
            json::write(out, &Number(f64::from(*weight)));
            out.extend_from_slice(b"},");
        }
        json::write_end(out, b']');
    }
}

/// A single object means a list of one.
fn action_list(raw: &Value) -> Result<&[Value], String> {
    match raw {
        Value::Object(_) => Ok(std::slice::from_ref(raw)),
        Value::Array(items) => match items.iter().position(|item| !item.is_object()) {
            None => Ok(items),
            Some(nth) => Err(format!("entry {nth} of the action list is not an object")),
        },
        _ => Err("an action is an object or a list of objects".into()),
    }
}

#[cfg(test)]
mod tests;
