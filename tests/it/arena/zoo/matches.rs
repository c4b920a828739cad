//! Matches and series: what is kept between them, what is kept of them, how they are called off.

use gert::arena::engine::EndReason;
use gert::arena::engine::playout::Playout;
use gert::arena::engine::seats::{Seat, SeatMap};
use gert::arena::games::GAMES;
use gert::arena::matches::MatchError;
use serde_json::json;

use super::*;

fn built_in(name: &str) -> Player {
    Player::BuiltIn(name.into())
}

#[tokio::test]
async fn a_match_of_built_in_players_is_the_playout_of_its_seed_and_its_log_plays_it_again() {
    for game in GAMES {
        let spec = game.spec();
        let n_seats = usize::from(spec.default_seats);
        let bots = game.bots();
        let names: Vec<&str> = (0..n_seats).map(|nth| bots[nth % bots.len().min(2)].name).collect();
        let order = Order::new(*game, 7, names.iter().map(|name| built_in(name)).collect());
        let order = Order { max_ticks: spec.canonical_ticks.min(60), ..order };
        let record = Matches::new().series().play(&order, &CancellationToken::new()).await.unwrap();

        let start = game.start(&order.setup()).unwrap();
        let players: SeatMap<&str> = Seat::first(spec.default_seats).zip(names).collect();
        let playout = Playout {
            players: &players,
            players_stream: 7,
            chance_stream: None,
            first: None,
            max_ticks: order.max_ticks,
        };
        let end = start.playout(&playout).unwrap();
        assert_eq!(record.ticks, end.ticks, "{}", spec.slug);
        let mut n_seen = 0;
        let again = record.log.replay(*game, &order.setup(), |_| n_seen += 1).unwrap();
        assert_eq!((again.digest(), n_seen), (end.digest, end.ticks + 1), "{}", spec.slug);
        for (seat, row) in Seat::first(spec.default_seats).zip(&record.seats) {
            assert_eq!(Some(&row.score), end.scores.get(seat), "{}", spec.slug);
            let standing = end.standings.get(seat).unwrap();
            assert_eq!((row.rank, row.outcome), (standing.rank, standing.outcome));
        }
        let per_tick = record.log.as_bytes().len() / record.ticks as usize;
        assert!(per_tick <= 40, "{}: {per_tick} bytes a tick", spec.slug);
    }
}

/// Counts the matches, turns and seats that one process sees.
const COUNTS: &str = r#"
import json
matches, turns, ends = 0, 0, []

def start(info):
    global matches
    matches += 1
    assert sorted(info) == ["config", "game", "player_count", "rules", "seat", "seed"], info
    assert info["seed"] != 1 and 0 <= info["seed"] < 2 ** 53

def act(observation, seat, info):
    global turns
    turns += 1
    assert observation["seat"] == seat == info["seat"]
    if matches == FAILS_AT:
        raise ValueError(f"{matches} matches, {turns} turns, {len(ends)} ends: {ends}")
    return [{"action": "drop", "column": observation["legal_columns"][0]}]

def end(result):
    ends.append(sorted(result))
"#;

#[tokio::test]
async fn one_process_plays_the_matches_of_a_series_and_a_fresh_one_only_a_turn() {
    let game = games::find("connect_four").unwrap();
    let sandbox = sandbox();
    let code = COUNTS.replace("FAILS_AT", "3");
    for (fresh, fails) in [(false, true), (true, false)] {
        let source = Source { fresh, ..Source::python(&code) };
        let program = Program::prepare(&sandbox, source, patient()).await.unwrap();
        let mut series = Matches::with_room(1).series();
        let mut failures = Vec::new();
        for seed in 1..=4 {
            // From the other seat too.
            let mut players = vec![Player::Program(program.clone()), built_in("random")];
            players.rotate_left(usize::from(seed == 2));
            let order = Order { max_ticks: 8, ..Order::new(game, seed, players) };
            let record = series.play(&order, &CancellationToken::new()).await.unwrap();
            failures.extend(record.seats.into_iter().filter_map(|seat| seat.failure));
        }
        series.close().await;
        assert_eq!(failures.len(), usize::from(fails), "{failures:?}");
        if let Some(failure) = failures.first() {
            assert_eq!(failure.code, Crashed);
            let last = failure.stderr.last().unwrap();
            // Four turns in each of two matches.
            let end = "['outcome', 'rank', 'reason', 'score']";
            assert_eq!(last, &format!("ValueError: 3 matches, 9 turns, 2 ends: [{end}, {end}]"));
        }
    }
    assert_nothing_left(sandbox);
}

#[tokio::test]
async fn a_fresh_process_finds_nothing_of_the_one_before() {
    let code = r#"
import os
n_turns = 0
def act(observation, seat, info):
    global n_turns
    n_turns += 1
    assert n_turns == 1 and os.listdir(".") == ["main.py"], os.listdir(".")
    open("main.py", "w").write("spoilt")
    open("note", "w").write("x")
    return [{"action": "drop", "column": observation["legal_columns"][0]}]
"#;
    let sandbox = sandbox();
    let level = sandbox.level().await;
    let keeps_apart =
        sandbox.probed().await.layers.iter().any(|layer| layer.name == "scratch" && layer.holds);
    assert!(
        keeps_apart || level < Level::Strong || cfg!(not(target_os = "linux")),
        "a machine without tmpfs for users"
    );
    if keeps_apart {
        assert_plays("notes", Source { fresh: true, ..Source::python(code) }).await;
    }
}

#[tokio::test]
async fn two_programs_play_each_other_and_the_record_counts_what_they_took() {
    let sandbox = sandbox();
    let program = Program::prepare(&sandbox, Source::python(PLAYER), patient()).await.unwrap();
    let players = vec![Player::Program(program.clone()), Player::Program(program.clone())];
    let game = games::find("grid_serpents").unwrap();
    let idle = "def act(observation, seat, info): return []";
    let idle = Program::prepare(&sandbox, Source::python(idle), patient()).await.unwrap();
    let mut series = Matches::with_room(1).series();
    let four = Order::new(games::find("connect_four").unwrap(), 1, players);
    let record = series.play(&four, &CancellationToken::new()).await.unwrap();
    assert_eq!((record.end, record.seats[0].failure.as_ref()), (EndReason::GameComplete, None));
    assert!(record.cpu > Duration::ZERO || cfg!(not(target_os = "linux")));
    assert_eq!(record.cpu, record.seats.iter().map(|seat| seat.cpu).sum::<Duration>());
    assert!(record.wall >= record.seats.iter().map(|seat| seat.thought).sum::<Duration>());
    // All act at once there.
    let n_seats = usize::from(game.spec().default_seats);
    let order = Order::new(game, 1, vec![Player::Program(idle); n_seats]);
    let record = series.play(&Order { max_ticks: 5, ..order }, &CancellationToken::new()).await.unwrap();
    assert!(record.seats.iter().all(|seat| seat.failure.is_none()), "{record:?}");
    series.close().await;
}

#[tokio::test]
async fn a_program_that_leaves_after_a_match_is_started_again() {
    let code = "import json, sys
for line in sys.stdin:
    message = json.loads(line)
    if message['type'] == 'observe':
        column = message['observation']['legal_columns'][0]
        print(json.dumps({'id': message['id'], 'action': [{'action': 'drop', 'column': column}]}), flush=True)
    if message['type'] == 'end':
        break
";
    let sandbox = sandbox();
    let source = Source::command("main.py", vec![File { name: "main.py".into(), bytes: code.into() }]);
    let program = Program::prepare(&sandbox, source, patient()).await.unwrap();
    let mut series = Matches::with_room(1).series();
    for seed in 0..3 {
        let players = vec![Player::Program(program.clone()), built_in("random")];
        let order = Order::new(games::find("connect_four").unwrap(), seed, players);
        let record = series.play(&order, &CancellationToken::new()).await.unwrap();
        assert_eq!(record.seats[0].failure, None);
    }
    series.close().await;
}

#[tokio::test]
async fn a_match_is_called_off_and_nothing_is_left() {
    let sandbox = sandbox();
    let program = Program::prepare(&sandbox, at_second_turn("time.sleep(3600)"), patient()).await.unwrap();
    let matches = Matches::with_room(1);
    let order = |program: &Program| {
        let players = vec![Player::Program(program.clone()), built_in("random")];
        Order::new(games::find("connect_four").unwrap(), 1, players)
    };
    let (stop, mut series) = (CancellationToken::new(), matches.series());
    let asked = order(&program);
    let mut playing = Box::pin(series.play(&asked, &stop));
    // There is room for one, so another waits, and may be called off while it does.
    let waits = CancellationToken::new();
    let mut second = matches.series();
    let other = order(&program);
    {
        let waiting = second.play(&other, &waits);
        tokio::pin!(waiting);
        let timeout = tokio::time::timeout(Duration::from_millis(200), async {
            tokio::select! { biased; _ = &mut playing => (), _ = &mut waiting => () }
        });
        timeout.await.expect_err("nobody is done");
        waits.cancel();
        assert_eq!(waiting.await.unwrap_err(), MatchError::Cancelled);
    }
    let folder = sandbox.folder().unwrap().to_str().unwrap();
    assert!(!running(folder).is_empty() || cfg!(not(target_os = "linux")), "it is there before");
    stop.cancel();
    assert_eq!((&mut playing).await.unwrap_err(), MatchError::Cancelled);
    drop(playing);
    series.close().await;
    drop((asked, other, program));
    assert_nothing_left(sandbox);
}

#[tokio::test]
async fn an_order_that_cannot_be_is_refused() {
    let game = games::find("connect_four").unwrap();
    let play = async |order: Order| Matches::new().series().play(&order, &CancellationToken::new()).await;
    let order = |names: &[&str]| Order::new(game, 1, names.iter().map(|name| built_in(name)).collect());
    assert!(matches!(play(order(&["random"])).await, Err(MatchError::Config(_))));
    assert!(matches!(
        play(Order { config: json!([]), ..order(&["random"; 2]) }).await,
        Err(MatchError::Config(_))
    ));
    assert!(
        matches!(play(order(&["random", "nobody"])).await, Err(MatchError::UnknownPlayer { name, .. }) if name == "nobody")
    );
}
