//! Branches: sessions that begin where another one is, or was.
//!
//! The match comes from the live session itself, or from its record: the engine is deterministic, so seed and log give
//! the same match again. A branch keeps a copy of that log, and so can be branched itself. Start at [`Host::branch`].
//!
//! - Chance goes on as it would have in the parent, unless other luck is asked for.
//! - The built-in players of a single branch know what happened before and go on as they would have; of several
//!   branches each has players of its own randomness, who begin fresh, as in playouts.
//! - The caller's seats stay the caller's; built-in players stay; on seats of others built-in players take over.

use std::sync::Arc;

use jiff::SignedDuration;
use serde_json::Value;

use super::live::Live;
use super::session::Opening;
use super::{Host, middling_bots, now};
use crate::arena::engine::rng::{Pcg, mix};
use crate::arena::engine::seats::{Seat, SeatMap};
use crate::arena::engine::{Game, MatchSetup, Play, Player};
use crate::arena::error::ArenaError;
use crate::arena::record::{Branch, BranchKind, SeatKind, SeatRecord, SessionRecord, Status};
use crate::arena::secret;
use crate::arena::store::branches::{self, Deed, Step};
use crate::arena::store::sessions::{Entry, What};

/// Branches that one request may make.
pub const MOST: usize = 32;

/// What is to branch, and how; checked for form only.
#[derive(Clone)]
pub struct Order {
    /// What is played.
    pub game: &'static dyn Game,
    /// The session as it is known. A live one is asked again.
    pub parent: SessionRecord,
    /// Who pays, and whose seats stay.
    pub account_id: String,
    /// Ticks played before the branch; where it is now, or ended, unless given.
    pub tick: Option<u32>,
    /// What for.
    pub want: Want,
    /// Draws the luck anew.
    pub fresh_luck: bool,
    /// A tick's deadline in ms, where it is not the parent's.
    pub tick_ms: Option<u32>,
    /// The least wall time of a tick in ms, where it is not the parent's.
    pub pace_ms: Option<u32>,
}

impl std::fmt::Debug for Order {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Order({} of {} at {:?})", self.want.len(), self.parent.session_id, self.tick)
    }
}

/// What branches are for.
#[derive(Debug, Clone, PartialEq)]
pub enum Want {
    /// So many that begin the same, from 1.
    Copies(usize),
    /// To try actions of one seat.
    Explore(Explore),
}

impl Want {
    /// Branches at most.
    fn len(&self) -> usize {
        match self {
            Self::Copies(count) => *count,
            Self::Explore(explore) => explore.max_actions * explore.samples,
        }
    }
}

/// Which actions are tried, and by whom the match is finished.
#[derive(Debug, Clone, PartialEq)]
pub struct Explore {
    /// Actions at most, those of the greatest weight; from 1.
    pub max_actions: usize,
    /// Branches an action, each with other luck, the same for every action; from 1.
    pub samples: usize,
    /// Whose actions; the caller's seat on turn unless given, or the first one.
    pub seat: Option<Seat>,
    /// The built-in player that takes the seats of people.
    pub player: String,
}

/// Where branches begin.
struct Origin {
    play: Box<dyn Play>,
    /// Rows of the parent's story that led here.
    told: u32,
}

/// One branch before it is made.
struct Bud {
    branch: Branch,
    reseeded: Option<u64>,
    players: SeatMap<Box<dyn Player>>,
}

impl Host {
    /// Makes all branches that are ordered, or none: reserves their price and starts them.
    ///
    /// # Errors
    /// There is nothing to go on from, an action or seat that does not fit, too few credits, too many live sessions.
    pub async fn branch(&self, mut order: Order) -> Result<Vec<Arc<Live>>, ArenaError> {
        let mut places = self.take_places(&order.account_id, order.want.len())?;
        let (mut unwritten, mut here) = (Vec::new(), None);
        if let Some(live) = self.find(&order.parent.session_id)
            && let Some(checkpoint) = live.checkpoint().await
        {
            order.parent = checkpoint.record;
            unwritten = checkpoint.unwritten;
            if order.tick.is_none() {
                here = Some(Origin { play: checkpoint.play, told: checkpoint.told });
            }
        }
        if order.parent.status == Status::Waiting {
            return Err(ArenaError::conflict("the session has not begun: there is nothing to branch"));
        }
        if order.parent.game_version != order.game.spec().game_version {
            return Err(ArenaError::conflict(
                "the game's rules have changed since this was played: its record cannot be played again",
            ));
        }
        let steps = self.steps(&order.parent.session_id, &unwritten).await?;
        let parent_id = order.parent.session_id.clone();
        // A long record, and players that look at all of it again, take a while.
        let prepare = tokio::task::spawn_blocking(move || prepare(&order, here, &steps));
        let (told, openings) = prepare.await.map_err(ArenaError::internal)??;
        let rows: Vec<_> =
            openings.iter().map(|(opening, story)| (opening.record.clone(), story.clone())).collect();
        self.store
            .write(move |connection| branches::add(connection, &parent_id, told, &unwritten, &rows))
            .await?;
        Ok(openings.into_iter().map(|(opening, _)| self.launch(opening, places.split_one())).collect())
    }

    /// The story of a session: what is written, and what is on its way.
    async fn steps(&self, session_id: &str, unwritten: &[Entry]) -> Result<Vec<Step>, ArenaError> {
        // Writes are done in their order, so after this one all that was posted before can be read.
        self.store.write(|_| Ok(())).await?;
        let id = session_id.to_owned();
        let mut steps = self.store.read(move |connection| branches::steps(connection, &id)).await?;
        let known = steps.last().map_or(0, |step| step.n + 1);
        steps.extend(unwritten.iter().filter(|entry| entry.n >= known).map(Step::from));
        Ok(steps)
    }
}

type Prepared = (u32, Vec<(Opening, Vec<Entry>)>);

fn prepare(order: &Order, here: Option<Origin>, steps: &[Step]) -> Result<Prepared, ArenaError> {
    let (parent, single) = (&order.parent, order.want == Want::Copies(1));
    let tick = order.tick.unwrap_or(parent.tick);
    // Of a single branch they come along; see the head of this file.
    let mut players = if single { hire(order) } else { SeatMap::default() };
    let origin = match here {
        Some(here) if players.is_empty() => here,
        Some(here) => {
            // It may have been played on since.
            let led_here = &steps[..steps.partition_point(|step| step.n < here.told)];
            if replay(order, led_here, None, &mut players)?.play.digest() != here.play.digest() {
                tracing::error!(session_id = parent.session_id, "a record does not give its match again");
            }
            here
        }
        None => replay(order, steps, Some(tick), &mut players)?,
    };
    let probe = origin.play.probe();
    if probe.tick != tick {
        return Err(ArenaError::invalid(
            "tick",
            format_args!("must be at most {}: so far the session is recorded", probe.tick),
        ));
    }
    if probe.over.is_some() {
        let problem = format!("the match is over there: name a `tick` from 0 to {}", tick.saturating_sub(1));
        return Err(ArenaError::conflict(problem));
    }
    let buds = match &order.want {
        Want::Copies(count) => copies(order, &origin, *count, players)?,
        Want::Explore(explore) => tries(order, &origin, explore)?,
    };
    let openings = buds.into_iter().map(|bud| open(order, &origin, bud)).collect();
    Ok((origin.told, openings))
}

/// Plays a record again up to a tick, or to its end. Players see every turn of theirs.
fn replay(
    order: &Order,
    steps: &[Step],
    tick: Option<u32>,
    players: &mut SeatMap<Box<dyn Player>>,
) -> Result<Origin, ArenaError> {
    let parent = &order.parent;
    let setup = MatchSetup {
        config: &parent.config,
        seats: parent.seats.len() as u8,
        max_ticks: parent.max_ticks,
        seed: parent.seed,
    };
    let mut play = order.game.start(&setup).map_err(|error| ArenaError::conflict(error.to_string()))?;
    let mut told = 0;
    for step in steps {
        let there = tick.is_some_and(|tick| play.probe().tick >= tick);
        if there && !matches!(step.deed, Deed::Settled | Deed::Reseeded(_)) {
            break;
        }
        match &step.deed {
            Deed::Played(inputs) => {
                for seat in play.probe().turn.seats().iter() {
                    if let Some(player) = players.get_mut(seat) {
                        player.act(play.as_ref(), seat);
                    }
                }
                play.submit(inputs);
            }
            Deed::Failed(seat, why) => play.fail(*seat, why),
            Deed::Reseeded(stream) => play.reseed(*stream),
            Deed::Settled | Deed::Pending => {}
        }
        told = step.n + 1;
    }
    Ok(Origin { play, told })
}

/// The built-in players of the branches' seats, as they were hired for the parent.
fn hire(order: &Order) -> SeatMap<Box<dyn Player>> {
    let hire = |seat: SeatRecord| {
        let stream = super::players_stream(order.parent.players_seed(), seat.seat);
        Some((seat.seat, order.game.player(&seat.name, stream)?))
    };
    seats(order).into_iter().filter(|seat| seat.kind == SeatKind::Ai).filter_map(hire).collect()
}

fn copies(
    order: &Order,
    origin: &Origin,
    count: usize,
    players: SeatMap<Box<dyn Player>>,
) -> Result<Vec<Bud>, ArenaError> {
    let seat = seat_on_turn(order, origin, None)?;
    let kind = if count == 1 { BranchKind::Single } else { BranchKind::Count };
    let bud = |nth: usize, players| {
        let seed = order.parent.players_seed();
        let own = mix(&[seed, origin.play.digest(), nth as u64]);
        Bud {
            branch: Branch {
                parent_id: order.parent.session_id.clone(),
                tick: origin.play.probe().tick,
                kind,
                nth: nth as u32,
                sample: None,
                seat,
                first_action: None,
                players_seed: if kind == BranchKind::Single { seed } else { own },
            },
            reseeded: order.fresh_luck.then(|| mix(&[own, 0x10C4])),
            players,
        }
    };
    let mut buds = vec![bud(1, players)];
    buds.extend((2..=count).map(|nth| bud(nth, SeatMap::default())));
    Ok(buds)
}

fn tries(order: &Order, origin: &Origin, explore: &Explore) -> Result<Vec<Bud>, ArenaError> {
    let seat = seat_on_turn(order, origin, explore.seat)?;
    let actions = best_actions(origin.play.as_ref(), seat, explore.max_actions)?;
    let (tick, digest) = (origin.play.probe().tick, origin.play.digest());
    let mut buds = Vec::new();
    for action in actions {
        for sample in 0..explore.samples as u64 {
            // The same luck and the same players for every action: what differs is the action.
            let own = mix(&[digest, sample]);
            buds.push(Bud {
                branch: Branch {
                    parent_id: order.parent.session_id.clone(),
                    tick,
                    kind: BranchKind::Explore,
                    nth: buds.len() as u32 + 1,
                    sample: Some(sample as u32),
                    seat,
                    first_action: Some(action.clone()),
                    players_seed: mix(&[order.parent.players_seed(), own]),
                },
                reseeded: (sample > 0 || order.fresh_luck).then_some(own),
                players: SeatMap::default(),
            });
        }
    }
    Ok(buds)
}

/// The seat whose turn it is: the one that is wanted, or the caller's, or the first.
fn seat_on_turn(order: &Order, origin: &Origin, wanted: Option<Seat>) -> Result<Seat, ArenaError> {
    let turn = origin.play.probe().turn.seats();
    let is_own =
        |seat: &Seat| order.parent.seats[seat.index()].account_id.as_ref() == Some(&order.account_id);
    let seat = match wanted {
        Some(seat) => Some(seat).filter(|seat| turn.contains(*seat)),
        None => turn.iter().find(is_own).or_else(|| turn.iter().next()),
    };
    seat.ok_or_else(|| {
        let on_turn: Vec<String> = turn.iter().map(|seat| format!("`{seat}`")).collect();
        ArenaError::invalid("player_id", format_args!("must be on turn there: {}", on_turn.join(", ")))
    })
}

/// Legal actions of the greatest weight; chance decides between equals.
fn best_actions(play: &dyn Play, seat: Seat, most: usize) -> Result<Vec<Value>, ArenaError> {
    let mut bytes = Vec::new();
    play.observe(seat, &[], &mut bytes);
    let mut seen: Value = serde_json::from_slice(&bytes).map_err(ArenaError::internal)?;
    let Some(Value::Array(mut choices)) = seen.get_mut("_action_space").map(Value::take) else {
        return Err(ArenaError::conflict("this game does not list its legal actions: nothing to explore"));
    };
    Pcg::new(mix(&[play.digest(), 0xE8])).shuffle(&mut choices);
    let weight = |choice: &Value| choice["weight"].as_f64().unwrap_or(0.0);
    choices.sort_by(|a, b| weight(b).total_cmp(&weight(a)));
    choices.truncate(most);
    Ok(choices.into_iter().map(|mut choice| choice["action"].take()).collect())
}

/// Who sits where in the branches.
fn seats(order: &Order) -> Vec<SeatRecord> {
    let stand_ins = match &order.want {
        Want::Copies(_) => middling_bots(order.game, order.parent.seats.len() as u8, order.parent.seed),
        Want::Explore(explore) => vec![explore.player.clone(); order.parent.seats.len()],
    };
    let stays = |seat: &SeatRecord| match seat.kind {
        SeatKind::Ai => true,
        SeatKind::User => {
            seat.account_id.as_ref() == Some(&order.account_id) && matches!(order.want, Want::Copies(_))
        }
        SeatKind::Open => false,
    };
    let mut seats = order.parent.seats.clone();
    for (seat, stand_in) in seats.iter_mut().zip(stand_ins) {
        if !stays(seat) {
            (seat.kind, seat.name, seat.account_id) = (SeatKind::Ai, stand_in, None);
        }
    }
    seats
}

/// A branch with its match, and the rows with which its own story begins.
fn open(order: &Order, origin: &Origin, bud: Bud) -> (Opening, Vec<Entry>) {
    let (parent, spec, probe) = (&order.parent, order.game.spec(), origin.play.probe());
    let mut play = origin.play.fork();
    let created_at = now(SignedDuration::ZERO);
    let said = |kind, text| What::Said { kind, seat: None, text };
    let mut story = vec![said("branched", format!("of {} at tick {}", parent.session_id, probe.tick))];
    if let Some(stream) = bud.reseeded {
        play.reseed(stream);
        story.push(said("reseeded", stream.to_string()));
    }
    let entry = |(n, what)| Entry { n, tick: probe.tick, at: created_at, what };
    let story: Vec<Entry> = (origin.told..).zip(story).map(entry).collect();
    let mut seats = seats(order);
    for seat in &mut seats {
        seat.score = probe.scores.get(seat.seat).copied().unwrap_or_default();
        seat.failed = probe.failed.contains(seat.seat);
        seat.eliminated = probe.eliminated.contains(seat.seat);
        seat.connected = seat.kind == SeatKind::Ai;
        (seat.rank, seat.outcome) = (None, None);
    }
    // Nobody is waited for when there are only built-in players, and nobody has asked for a show.
    let explores = matches!(order.want, Want::Explore(_));
    let own_tick_ms = (parent.tick_ms != spec.tick_ms).then_some(parent.tick_ms);
    let tick_ms = if explores { Some(0) } else { order.tick_ms.or(own_tick_ms) };
    let pace_ms = if explores { 0 } else { parent.pace_ms };
    let record = SessionRecord {
        seq: 0,
        session_id: secret::id("s_"),
        account_id: order.account_id.clone(),
        status: Status::Active,
        tick: probe.tick,
        vs_ai: seats.iter().any(|seat| seat.kind == SeatKind::Ai),
        seats,
        tick_ms: tick_ms.unwrap_or(spec.tick_ms),
        pace_ms: order.pace_ms.unwrap_or(pace_ms),
        created_at,
        started_at: None,
        ended_at: None,
        completion_reason: None,
        failure_reason: None,
        branch: Some(bud.branch),
        ..parent.clone()
    };
    let first = record.branch.as_ref().and_then(|branch| Some((branch.seat, branch.first_action.clone()?)));
    let opening = Opening {
        game: order.game,
        play,
        record,
        tick_ms,
        clock_offset: SignedDuration::ZERO,
        told: origin.told + story.len() as u32,
        players: bud.players,
        first,
        fault: None,
    };
    (opening, story)
}
