//! A rollout service with a small game: a seat's score grows by its action's `add`, what is no object and no list
//! of objects puts the seat out, and so does `{"foul":true}`; `{"resign":true}` eliminates it. Faults come on demand.

use std::collections::{BTreeMap, HashMap};
use std::net::SocketAddr;
use std::sync::{Arc, Mutex, MutexGuard};

use gert::api::Client;
use gert::api::model::RunId;
use serde_json::{Map, Value, json};
use tokio::io::AsyncWriteExt;
use tokio::net::TcpListener;
use tokio::task::JoinHandle;

use crate::api::canned::{raw_answer, read_request};
use crate::api::client;

/// A request, its path without the prefix.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Asked {
    pub(crate) path: String,
    pub(crate) body: Value,
}

/// An answer: a status and its `data`, or what is refused.
pub(crate) type Reply = Result<Value, (u16, &'static str)>;

/// What goes wrong with a request.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Fault {
    /// The connection ends before anything is done.
    Cut,
    /// It is done, but the answer is lost.
    Lose,
    /// It is refused.
    Refuse(u16, &'static str),
    /// It is never answered.
    Hang,
}

/// A server; it stops when it is dropped.
pub(crate) struct Server {
    address: SocketAddr,
    state: Arc<Mutex<State>>,
    task: JoinHandle<()>,
}

type Handler = Box<dyn FnMut(&Asked) -> Reply + Send>;

struct State {
    handler: Handler,
    faults: Vec<(usize, &'static str, Fault)>,
    asked: Vec<Asked>,
}

impl Server {
    /// Answers with a function.
    pub(crate) async fn start(handler: impl FnMut(&Asked) -> Reply + Send + 'static) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
        let address = listener.local_addr().expect("an address");
        let state = State { handler: Box::new(handler), faults: Vec::new(), asked: Vec::new() };
        let state = Arc::new(Mutex::new(state));
        let shared = state.clone();
        let task = tokio::spawn(async move {
            let mut hanging = Vec::new();
            while let Ok((mut stream, _)) = listener.accept().await {
                let request = read_request(&mut stream).await;
                if request.is_empty() {
                    continue;
                }
                let (bytes, hangs) = shared.lock().expect("no panic").answer(&request);
                let _ = stream.write_all(&bytes).await;
                if hangs {
                    hanging.push(stream);
                } else {
                    let _ = stream.shutdown().await;
                }
            }
        });
        Self { address, state, task }
    }

    pub(crate) fn base(&self) -> String {
        format!("http://{}/api/v1", self.address)
    }

    pub(crate) fn client(&self) -> Client {
        client(&self.base())
    }

    /// Lets something go wrong with the next request whose path ends so, after `skip` good ones.
    pub(crate) fn fault(&self, skip: usize, ending: &'static str, fault: Fault) {
        self.lock().faults.push((skip, ending, fault));
    }

    /// What was asked so far, in order.
    pub(crate) fn asked(&self) -> Vec<Asked> {
        self.lock().asked.clone()
    }

    /// The bodies of the requests whose paths end so.
    pub(crate) fn bodies(&self, ending: &str) -> Vec<Value> {
        self.asked()
            .into_iter()
            .filter(|asked| asked.path.ends_with(ending))
            .map(|asked| asked.body)
            .collect()
    }

    /// How many requests had a path that ends so.
    pub(crate) fn count(&self, ending: &str) -> usize {
        self.bodies(ending).len()
    }

    /// Which episodes somebody tried to close, in order of their names.
    pub(crate) fn closes(&self) -> Vec<String> {
        let episode = |path: &str| Some(path.strip_suffix("/close")?.rsplit_once("/episodes/")?.1.to_owned());
        let mut closes: Vec<_> = self.asked().iter().filter_map(|asked| episode(&asked.path)).collect();
        closes.sort();
        closes
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().expect("no panic")
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.task.abort();
    }
}

impl State {
    fn answer(&mut self, request: &str) -> (Vec<u8>, bool) {
        let (head, body) = request.split_once("\r\n\r\n").expect("a head");
        let target = head.split(' ').nth(1).expect("a target");
        let path = target.strip_prefix("/api/v1").expect("the prefix").to_owned();
        let asked = Asked { path, body: serde_json::from_str(body).unwrap_or_default() };
        self.asked.push(asked.clone());
        let fault = self.fault(&asked.path);
        let reply = match fault {
            Some(Fault::Cut) => return (Vec::new(), false),
            Some(Fault::Hang) => return (Vec::new(), true),
            Some(Fault::Refuse(status, code)) => Err((status, code)),
            Some(Fault::Lose) => {
                let _done = (self.handler)(&asked);
                return (Vec::new(), false);
            }
            None => (self.handler)(&asked),
        };
        let (status, body) = match reply {
            Ok(data) => (200, json!({"data": data, "meta": {"request_id": "req-1"}})),
            Err((status, code)) => (status, json!({"error": {"code": code, "message": "boom"}})),
        };
        (raw_answer(status, "", body.to_string().as_bytes()), false)
    }

    fn fault(&mut self, path: &str) -> Option<Fault> {
        let index = self.faults.iter().position(|(_, ending, _)| path.ends_with(ending))?;
        if self.faults[index].0 > 0 {
            self.faults[index].0 -= 1;
            return None;
        }
        Some(self.faults.remove(index).2)
    }
}

/// What the service is like.
#[derive(Debug, Clone, Copy)]
pub(crate) struct World {
    /// How many seats there are: `p0` and so on.
    pub(crate) seats: usize,
    /// One seat acts a tick, in turn.
    pub(crate) turn_based: bool,
    /// Ticks to the end.
    pub(crate) length: u64,
    /// Episodes that may be started.
    pub(crate) budget: u64,
    /// They end at their horizon, not by the rules.
    pub(crate) is_cut: bool,
}

impl Default for World {
    fn default() -> Self {
        Self { seats: 1, turn_based: false, length: 3, budget: 1000, is_cut: false }
    }
}

impl World {
    pub(crate) async fn start(self) -> Server {
        self.start_with(|_, _| {}).await
    }

    /// Lets something happen before each request.
    pub(crate) async fn start_with(
        self,
        mut first: impl FnMut(&mut Service, &Asked) + Send + 'static,
    ) -> Server {
        let mut service = Service {
            world: self,
            live: BTreeMap::new(),
            last: HashMap::new(),
            batches: HashMap::new(),
            made: (0, 0),
            used: 0,
            ticks: 0,
        };
        Server::start(move |asked| {
            first(&mut service, asked);
            service.answer(asked)
        })
        .await
    }
}

/// The service: one run, `run-1`, with episodes `ep-0`, `ep-1`, … and forks `fk-0`, `fk-1`, ….
#[derive(Debug)]
pub(crate) struct Service {
    world: World,
    live: BTreeMap<String, Episode>,
    /// The last result of each episode with the tick it was for, also after its end.
    last: HashMap<String, (u64, Value)>,
    batches: HashMap<String, Value>,
    made: (usize, usize),
    used: u64,
    ticks: u64,
}

#[derive(Debug, Clone)]
struct Episode {
    ours: Vec<String>,
    league: Vec<String>,
    scores: BTreeMap<String, f64>,
    failed: Vec<String>,
    eliminated: Vec<String>,
    /// Since the start of the game.
    played: u64,
    /// Since this episode or fork began.
    tick: u64,
}

impl Service {
    /// A step of somebody else.
    pub(crate) fn step_aside(&mut self, id: &str, actions: &Value) {
        self.step(id, &json!({"actions": actions})).expect("a live episode");
    }

    fn answer(&mut self, asked: &Asked) -> Reply {
        let path = asked.path.split('?').next().unwrap_or_default();
        let parts: Vec<&str> = path.split('/').skip(1).collect();
        match parts.as_slice() {
            ["games", slug] => Ok(json!({"slug": slug, "prompt": format!("RULES {slug}")})),
            ["rollout-runs"] => Ok(json!({"run_id": "run-1", "max_episodes": asked.body["max_episodes"]})),
            ["rollout-runs", _, "close"] => Ok(json!({
                "run_id": "run-1", "status": "closed", "ticks_used": self.ticks, "episodes_used": self.used
            })),
            ["rollout-runs", _, "extend"] => {
                self.world.budget += asked.body["additional_episodes"].as_u64().expect("a number");
                Ok(json!({"run_id": "run-1", "max_episodes": self.world.budget}))
            }
            ["rollout-runs", _, "episodes"] => self.reset(&asked.body),
            ["rollout-runs", _, "steps"] => {
                let entries = asked.body["steps"].as_array().expect("a list").clone();
                Ok(json!({"results": entries.iter().map(|entry| self.entry(entry)).collect::<Vec<_>>()}))
            }
            ["rollout-runs", _, "episodes", id] => self.probe(id),
            ["rollout-runs", _, "episodes", id, "step"] => self.step(id, &asked.body),
            ["rollout-runs", _, "episodes", id, "fork"] => Ok(self.fork(id, 1)?.remove(0)),
            ["rollout-runs", _, "episodes", id, "forks"] => self.forks(id, &asked.body),
            ["rollout-runs", _, "episodes", id, "complete"] => self.complete(id, &asked.body),
            ["rollout-runs", _, "episodes", id, "close"] => {
                let episode = self.live.remove(*id).ok_or((404, "EPISODE_NOT_FOUND"))?;
                self.ticks += episode.tick;
                Ok(json!({"episode_id": id, "ticks_used": episode.tick}))
            }
            _ => panic!("nobody asks for {path}"),
        }
    }

    fn claim(&mut self, count: u64) -> Result<(), (u16, &'static str)> {
        if self.used + count > self.world.budget {
            return Err((409, "RUN_EXHAUSTED"));
        }
        self.used += count;
        Ok(())
    }

    fn reset(&mut self, body: &Value) -> Reply {
        self.claim(1)?;
        let seats: Vec<String> = (0..self.world.seats).map(|seat| format!("p{seat}")).collect();
        let league = body["opponent_seats"].as_u64().unwrap_or(0) as usize;
        let (ours, league) = seats.split_at(self.world.seats - league);
        let episode = Episode {
            ours: ours.to_vec(),
            league: league.to_vec(),
            scores: seats.iter().map(|seat| (seat.clone(), 0.0)).collect(),
            failed: Vec::new(),
            eliminated: Vec::new(),
            played: 0,
            tick: 0,
        };
        let id = format!("ep-{}", self.made.0);
        self.made.0 += 1;
        let game = body["game"].as_str().unwrap_or("picked");
        Ok(self.begin(&id, episode, &json!({"game": game, "seed": body.get("seed")})))
    }

    /// The answer of a reset or a fork.
    fn begin(&mut self, id: &str, episode: Episode, more: &Value) -> Value {
        let mut answer = self.state(&episode);
        answer.extend(more.as_object().expect("an object").clone());
        answer.extend(self.facts(id, &episode));
        self.live.insert(id.to_owned(), episode);
        Value::Object(answer)
    }

    fn facts(&self, id: &str, episode: &Episode) -> Map<String, Value> {
        let facts = json!({
            "episode_id": id, "policy_seat": episode.ours[0], "policy_seats": episode.ours,
            "player_count": self.world.seats, "max_ticks": self.world.length, "turn_based": self.world.turn_based,
        });
        facts.as_object().expect("an object").clone()
    }

    /// Whose turn it is, and what they see.
    fn state(&self, episode: &Episode) -> Map<String, Value> {
        let live = |seat: &&String| !episode.failed.contains(*seat);
        let mut on_turn: Vec<&String> = episode.ours.iter().filter(live).collect();
        if self.world.turn_based {
            let next =
                (0..self.world.seats as u64).map(|ahead| (episode.played + ahead) % self.world.seats as u64);
            let next = next.map(|seat| format!("p{seat}")).find(|seat| on_turn.contains(&seat));
            on_turn.retain(|seat| Some(*seat) == next.as_ref());
        }
        let view = |seat: &String| json!({"seat": seat, "tick": episode.tick, "score": episode.scores[seat]});
        let views: Map<String, Value> =
            episode.ours.iter().filter(live).map(|seat| (seat.clone(), view(seat))).collect();
        let mut state = Map::new();
        state.insert("done".into(), json!(false));
        state.insert("tick".into(), json!(episode.tick));
        state.insert("on_turn_seats".into(), json!(on_turn));
        state.insert("observation".into(), views.get(&episode.ours[0]).cloned().unwrap_or_default());
        state.insert("observations".into(), views.into());
        for (name, seats) in [("failed_seats", &episode.failed), ("eliminated_seats", &episode.eliminated)] {
            if !seats.is_empty() {
                state.insert(name.into(), json!(seats));
            }
        }
        state
    }

    fn probe(&self, id: &str) -> Reply {
        let episode = self.live.get(id).ok_or((404, "EPISODE_NOT_FOUND"))?;
        let mut answer = self.state(episode);
        answer.retain(|name, _| !name.starts_with("observation"));
        answer.extend(self.facts(id, episode));
        Ok(answer.into())
    }

    fn entry(&mut self, entry: &Value) -> Value {
        let id = entry["episode_id"].as_str().expect("a name").to_owned();
        let mut answer = match self.step(&id, entry) {
            Ok(result) => result,
            Err((_, code)) => json!({"error": {"code": code, "message": "boom"}}),
        };
        answer["ok"] = json!(answer.get("error").is_none());
        answer["episode_id"] = json!(id);
        answer
    }

    fn step(&mut self, id: &str, body: &Value) -> Reply {
        let expected = body["expected_tick"].as_u64();
        if let Some((tick, result)) = self.last.get(id)
            && Some(*tick) == expected
        {
            return Ok(result.clone());
        }
        let mut episode = self.live.get(id).ok_or((404, "EPISODE_NOT_FOUND"))?.clone();
        let before = episode.tick;
        if expected.is_some_and(|expected| expected != before) {
            return Err((409, "STEP_CONFLICT"));
        }
        let on_turn = self.state(&episode)["on_turn_seats"].clone();
        let action = |seat: &str| body.get("action").or_else(|| body["actions"].get(seat));
        let mut rewards: Map<String, Value> =
            episode.ours.iter().map(|seat| (seat.clone(), json!(0.0))).collect();
        for seat in on_turn.as_array().expect("a list") {
            let seat = seat.as_str().expect("a seat");
            rewards[seat] = json!(episode.act(seat, action(seat)));
        }
        for seat in episode.league.clone() {
            *episode.scores.get_mut(&seat).expect("a seat") += 1.0;
        }
        episode.tick += 1;
        episode.played += 1;
        let result = self.result(id, episode, rewards);
        self.last.insert(id.to_owned(), (before, result.clone()));
        Ok(result)
    }

    fn result(&mut self, id: &str, episode: Episode, rewards: Map<String, Value>) -> Value {
        let mut result = self.state(&episode);
        result.insert("reward".into(), rewards[&episode.ours[0]].clone());
        result.insert("rewards".into(), rewards.into());
        let all_out = episode.ours.iter().all(|seat| episode.failed.contains(seat));
        let broken = episode.failed.iter().any(|seat| !episode.eliminated.contains(seat));
        if episode.played >= self.world.length || all_out {
            result.retain(|name, _| !name.starts_with("observation"));
            result.insert("done".into(), json!(true));
            result.insert("on_turn_seats".into(), json!([]));
            let reason = match (all_out && broken, self.world.is_cut) {
                (true, _) => "policy_failed",
                (false, true) => "max_ticks",
                (false, false) => "game_complete",
            };
            result.insert("completion_reason".into(), json!(reason));
            if reason != "policy_failed" {
                self.insert_ends(&mut result, &episode);
            }
            self.ticks += episode.tick;
            self.live.remove(id);
        } else {
            self.live.insert(id.to_owned(), episode);
        }
        Value::Object(result)
    }

    /// Scores, and with several players ranks and outcomes.
    fn insert_ends(&self, result: &mut Map<String, Value>, episode: &Episode) {
        let first = episode.ours[0].as_str();
        result.insert("score".into(), json!(episode.scores[first]));
        result.insert("scores".into(), json!(episode.scores));
        if self.world.seats == 1 {
            return;
        }
        let rank = |score: f64| 1 + episode.scores.values().filter(|other| **other > score).count();
        let ranks: BTreeMap<&str, _> =
            episode.scores.iter().map(|(seat, score)| (seat.as_str(), rank(*score))).collect();
        let word = |rank: usize| if rank == 1 { "won" } else { "lost" };
        let outcomes: BTreeMap<&str, _> = ranks.iter().map(|(seat, rank)| (*seat, word(*rank))).collect();
        result.insert("rank".into(), json!(ranks[first]));
        result.insert("outcome".into(), json!(outcomes[first]));
        result.insert("ranks".into(), json!(ranks));
        result.insert("outcomes".into(), json!(outcomes));
    }

    fn forks(&mut self, id: &str, body: &Value) -> Reply {
        let key = body["op_key"].as_str().expect("a key").to_owned();
        if let Some(forks) = self.batches.get(&key) {
            return Ok(forks.clone());
        }
        let forks = json!({"forks": self.fork(id, body["count"].as_u64().expect("a number"))?});
        self.batches.insert(key, forks.clone());
        Ok(forks)
    }

    fn fork(&mut self, id: &str, count: u64) -> Result<Vec<Value>, (u16, &'static str)> {
        let parent = self.live.get(id).ok_or((404, "EPISODE_NOT_FOUND"))?.clone();
        if !parent.league.is_empty() {
            return Err((409, "FORK_UNSUPPORTED"));
        }
        self.claim(count)?;
        let mut forks = Vec::new();
        for _ in 0..count {
            let id = format!("fk-{}", self.made.1);
            self.made.1 += 1;
            forks.push(self.begin(&id, Episode { tick: 0, ..parent.clone() }, &json!({"game": "g"})));
        }
        Ok(forks)
    }

    /// Every playout adds ten to the score.
    fn complete(&self, id: &str, body: &Value) -> Reply {
        let episode = self.live.get(id).ok_or((404, "EPISODE_NOT_FOUND"))?;
        let seat = body["seat"].as_str().unwrap_or(&episode.ours[0]);
        let samples = body["samples"].as_u64().unwrap_or(30);
        Ok(json!({
            "seat": seat, "samples": samples, "scored": samples, "failed": 0, "failure_rate": 0.0, "win_rate": 0.5,
            "score": {"mean": episode.scores[seat] + 10.0}, "ticks_used": 7
        }))
    }
}

impl Episode {
    /// Applies one seat's action; gives its reward.
    fn act(&mut self, seat: &str, action: Option<&Value>) -> f64 {
        let items = match action {
            Some(Value::Array(items)) if items.iter().all(Value::is_object) => items.clone(),
            Some(item @ Value::Object(_)) => vec![item.clone()],
            _ => {
                self.failed.push(seat.to_owned());
                return -1.0;
            }
        };
        let mut reward = 0.0;
        for item in items {
            reward += item["add"].as_f64().unwrap_or(0.0);
            if item["foul"] == json!(true) {
                self.failed.push(seat.to_owned());
            }
            if item["resign"] == json!(true) {
                self.failed.push(seat.to_owned());
                self.eliminated.push(seat.to_owned());
            }
        }
        *self.scores.get_mut(seat).expect("a seat") += reward;
        reward
    }
}

/// The run of the service.
pub(crate) fn run_1() -> RunId {
    "run-1".into()
}
