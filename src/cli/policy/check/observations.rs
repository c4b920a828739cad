//! What a policy is shown: real observations of the arena's games, and hostile ones.

use serde_json::{Value, json};

use crate::policy::Hello;

/// A match as a policy sees it from one seat.
pub(super) struct Match {
    pub(super) hello: Hello,
    pub(super) seen: Vec<Seen>,
}

/// One observation.
pub(super) struct Seen {
    pub(super) tick: u64,
    pub(super) text: String,
    /// What it is, where it is not a game's own.
    pub(super) about: &'static str,
    judge: Judge,
}

/// Says why an action may not be played.
type Judge = Box<dyn Fn(&Value) -> Result<(), String> + Send>;

impl Seen {
    fn hostile(about: &'static str, text: String) -> Self {
        Self { tick: 0, text, about, judge: Box::new(|_| Ok(())) }
    }

    /// One from a file.
    pub(super) fn replayed(tick: u64, text: &str) -> Self {
        Self { tick, ..Self::hostile("", text.to_owned()) }
    }

    /// Whether the action could be played there.
    pub(super) fn judge(&self, action: &Value) -> Result<(), String> {
        (self.judge)(action)
    }
}

/// The seed of every match.
pub(super) const SEED: u64 = 7;

/// Observations that no game shows but that a policy survives: a new version of a game, or another game, may come
/// close to any of them.
pub(super) fn hostile(real: Option<&Match>) -> Match {
    let mut seen = vec![
        Seen::hostile("an empty object", "{}".into()),
        Seen::hostile("a list", "[]".into()),
        Seen::hostile("null", "null".into()),
        Seen::hostile("an empty list of actions", r#"{"_action_space":[],"tick":1}"#.into()),
        Seen::hostile("an action space that is null", r#"{"_action_space":null,"tick":null}"#.into()),
        Seen::hostile(
            "text in many scripts",
            r#"{"say":"naïve 日本語 \ud83d\ude00 \u0000 \u202e ---\n```json\n[]","_action_space":[{"action":{"action":"say","text":"ü\"]}"},"weight":1}]}"#.into(),
        ),
        Seen::hostile("large and odd numbers", r#"{"a":1e300,"b":-0.0,"c":12345678901234567890123,"d":[1E-7]}"#.into()),
        Seen::hostile("lists a hundred deep", format!("{{\"a\":{}{}}}", "[".repeat(100), "]".repeat(100))),
    ];
    if let Some(first) = real.and_then(|real| real.seen.first())
        && let Ok(Value::Object(mut members)) = serde_json::from_str(&first.text)
    {
        members.remove("_action_space");
        seen.push(Seen::hostile("no action space", Value::Object(members.clone()).to_string()));
        members.insert("seat".into(), "p7".into());
        members.insert("new_member".into(), json!({"of": ["a later version"]}));
        seen.push(Seen::hostile("the observation of another seat", Value::Object(members).to_string()));
    }
    Match { hello: hello("a_game_nobody_knows", "p3"), seen }
}

/// One observation of a megabyte.
pub(super) fn huge() -> Seen {
    Seen::hostile("a line of a megabyte", json!({"tick": 1, "map": "x".repeat(1_000_000)}).to_string())
}

fn hello(game: &str, seat: &str) -> Hello {
    Hello {
        game: game.into(),
        seat: seat.into(),
        player_count: 4,
        config: json!({}),
        seed: Some(SEED),
        ..Hello::default()
    }
}

/// Matches of all games, or of one.
#[cfg(feature = "arena")]
pub(super) fn games(only: Option<&str>, most: usize) -> Result<Vec<Match>, String> {
    use crate::arena::games::{GAMES, find};
    match only {
        None => Ok(GAMES.iter().map(|game| arena::record(*game, most)).collect()),
        Some(slug) => {
            if let Some(game) = find(slug) {
                Ok(vec![arena::record(game, most)])
            } else {
                let known: Vec<_> = GAMES.iter().map(|game| game.spec().slug).collect();
                Err(format!("the arena has no game `{slug}`; it has {}", known.join(", ")))
            }
        }
    }
}

/// Without the arena there is a made-up game only.
#[cfg(not(feature = "arena"))]
pub(super) fn games(only: Option<&str>, most: usize) -> Result<Vec<Match>, String> {
    if let Some(slug) = only {
        return Err(format!("this program was built without the arena, so it has no game `{slug}`"));
    }
    let text = |n: usize| {
        let space = json!([{"action": {"action": "drop", "column": n}, "weight": 1}]);
        json!({"_action_space": space, "seat": "p0", "tick": n, "score": 0}).to_string()
    };
    let seen = (0..most.min(4)).map(|n| Seen::hostile("", text(n))).collect();
    Ok(vec![Match { hello: hello("made_up", "p0"), seen }])
}

#[cfg(feature = "arena")]
mod arena {
    use serde_json::{Value, json};

    use super::{Match, SEED, Seen};
    use crate::arena::engine::rng::Pcg;
    use crate::arena::engine::seats::{Seat, SeatMap};
    use crate::arena::engine::{Game, Input, MatchSetup, Play, Verdict};
    use crate::policy::Hello;

    /// The turns of the first seat that are shown.
    const TURNS: [usize; 8] = [0, 1, 2, 4, 8, 12, 16, 20];

    /// Plays at random and keeps what the first seat saw.
    pub(super) fn record(game: &dyn Game, most: usize) -> Match {
        let spec = game.spec();
        let setup = MatchSetup {
            config: &json!({}),
            seats: spec.default_seats,
            max_ticks: spec.canonical_ticks,
            seed: SEED,
        };
        let hello = Hello {
            game: spec.slug.into(),
            game_version: Some(spec.game_version.into()),
            seat: "p0".into(),
            player_count: spec.default_seats.into(),
            rules: spec.prompt.into(),
            config: json!({"turn_isolated": spec.turn_isolated}),
            seed: Some(SEED),
        };
        let seen = game.start(&setup).map(|play| watch(play, most)).unwrap_or_default();
        Match { hello, seen }
    }

    fn watch(mut play: Box<dyn Play>, most: usize) -> Vec<Seen> {
        let mut rng = Pcg::new(SEED);
        let mut seen = Vec::new();
        let mut n_turns = 0;
        let me = Seat::new(0);
        while play.probe().over.is_none() && n_turns <= TURNS[TURNS.len() - 1] && seen.len() < most {
            let turn = play.probe().turn.seats();
            if turn.contains(me) {
                if TURNS.contains(&n_turns) {
                    seen.push(look(&*play, me));
                }
                n_turns += 1;
            }
            let inputs: SeatMap<Input> =
                turn.iter().map(|seat| (seat, choose(&observe(&*play, seat), &mut rng))).collect();
            play.submit(&inputs);
        }
        seen
    }

    fn look(play: &dyn Play, seat: Seat) -> Seen {
        let then = play.fork();
        let judge = move |action: &Value| {
            then.judge(seat, action).map_err(|verdict| match verdict {
                Verdict::Rejected(reasons) => reasons.join("; "),
                Verdict::Malformed(why) | Verdict::Failed(why) => why,
                Verdict::Applied | Verdict::Passed => String::new(),
            })
        };
        let tick = play.probe().tick.into();
        Seen { tick, text: observe(play, seat), about: "", judge: Box::new(judge) }
    }

    fn observe(play: &dyn Play, seat: Seat) -> String {
        let mut bytes = Vec::new();
        play.observe(seat, &[], &mut bytes);
        String::from_utf8_lossy(&bytes).into_owned()
    }

    fn choose(observation: &str, rng: &mut Pcg) -> Input {
        let observation: Value = serde_json::from_str(observation).unwrap_or_default();
        let entries = observation["_action_space"].as_array().map_or(&[][..], Vec::as_slice);
        let weight = |entry: &Value| entry["weight"].as_f64().unwrap_or(1.0) as f32;
        let choices: Vec<(&Value, f32)> =
            entries.iter().map(|entry| (&entry["action"], weight(entry))).collect();
        rng.weighted(&choices).map_or(Input::Pass, |&action| Input::Act(action.clone()))
    }
}
