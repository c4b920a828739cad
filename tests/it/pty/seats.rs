//! A seat in a match, played in a real terminal: by hand, by a policy, by both in turn.

use super::harness::{GERT, PATIENCE, Pty};
use super::{is_whole, loaded};
use rustix::io::Errno;
use rustix::process::{Pid, Signal, test_kill_process};
use serde_json::{Value, json};
use std::fs;
use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::thread;
use std::time::{Duration, Instant};

pub(super) const WIDE: (u16, u16) = (100, 30);
/// Credits a tick costs.
const TICK_PRICE: f64 = 0.0004;
/// To the left end of a line, and away with the rest of it.
const CLEAR_LINE: &str = "\x01\x0b";

/// A match of `connect_four` in two keys from the first screen, the user to move.
pub(super) fn seated() -> Pty {
    let mut pty = loaded(WIDE);
    pty.send("py");
    pty.wait_for("● your turn");
    pty
}

/// Plays by arrow keys and Enter until the result is there.
#[track_caller]
fn play_to_the_end(pty: &mut Pty) {
    let tick = |pty: &Pty| pty.number_after("   tick ");
    for turn in 0.. {
        assert!(turn < 42, "a match has 42 turns at most");
        pty.wait_until("it is the user's turn", |pty| pty.shows("● your turn") || is_over(pty));
        if is_over(pty) {
            return;
        }
        let before = tick(pty);
        pty.send(if turn % 2 == 0 { "\x1b[C\r" } else { "\x1b[D\x1b[D\r" });
        pty.wait_until("the match goes on", |pty| tick(pty) > before || is_over(pty));
    }
}

pub(super) fn is_over(pty: &Pty) -> bool {
    pty.shows("■ ended") && pty.shows(" cost ")
}

#[test]
fn a_match_is_played_by_arrow_keys_to_its_score_and_billed_to_the_tick() {
    let mut pty = loaded(WIDE);
    // Once the past is played only the match changes the balance.
    pty.send("2");
    pty.wait_for("● 6 live");
    pty.send("9");
    pty.wait_for("held 0.00");
    let before = pty.number_after("◆ ").unwrap();
    pty.send("1p");
    pty.wait_for("costs at most 0.0168 cr");
    pty.send("y");
    play_to_the_end(&mut pty);
    assert!(["WON", "LOST", "DRAW"].iter().any(|word| pty.shows(word)), "{}", pty.screen_text());
    assert!(pty.shows("score "));
    let (ticks, cost) = (pty.number_after(" after ").unwrap(), pty.number_after(" cost ").unwrap());
    assert!((cost - ticks * TICK_PRICE).abs() < 1e-9, "{ticks} ticks cost {cost}");
    pty.send("9");
    // The newest entry of the ledger, in full figures; the balance above it has two.
    let entry = format!("connect_four, {ticks} ticks");
    let row =
        pty.wait_some("the match is billed", |pty| pty.rows().into_iter().find(|row| row.contains(&entry)));
    assert!(row.trim_end().ends_with(&format!("−{cost:.4}")), "{row}");
    pty.wait_for("held 0.00");
    let after = pty.number_after("◆ ").unwrap();
    assert!((before - after - cost).abs() < 0.0101, "{before} − {cost} is not {after}");
    pty.send("q");
    assert_eq!(pty.wait_exit(), 0, "no seat is left that would be asked about");
}

/// Puts a command into the seat on screen and shows its log.
pub(super) fn type_policy(pty: &mut Pty, command: &str) {
    put_policy(pty, command);
    pty.send("L");
    pty.wait_for("policy log");
}

/// Puts a command into the seat on screen.
fn put_policy(pty: &mut Pty, command: &str) {
    pty.send("c");
    pty.wait_for("A command that plays this seat");
    pty.send(&format!("{CLEAR_LINE}{command}"));
    pty.wait_for(&format!("$ {command} "));
    pty.send("\r");
}

/// Does the same; returns the policy's process.
fn seat_policy(pty: &mut Pty, command: &str) -> Pid {
    type_policy(pty, command);
    let started = |pty: &Pty| pty.number_after("started, process ");
    let pid = pty.wait_some("the policy is started", started);
    Pid::from_raw(pid as i32).unwrap()
}

#[track_caller]
pub(super) fn wait_gone(policy: Pid) {
    let deadline = Instant::now() + PATIENCE;
    while test_kill_process(policy) != Err(Errno::SRCH) {
        assert!(Instant::now() < deadline, "the policy's process does not go");
        thread::park_timeout(Duration::from_millis(10));
    }
}

#[test]
fn a_policy_plays_a_seat_to_the_end_and_its_process_goes() {
    let mut pty = seated();
    let policy = seat_policy(&mut pty, "python3 assets/policies/random.py");
    pty.wait_until("it has played to the end", is_over);
    assert!(pty.shows("driven by random"), "{}", pty.screen_text());
    wait_gone(policy);
}

#[test]
fn a_policy_that_fails_is_told_and_the_human_plays_on() {
    for (command, why) in [
        ("--on-crash hand python3 assets/policies/crash.py", "crash.py gives up"),
        ("python3 assets/policies/garbage.py", "no action"),
        ("no_such_program", "no_such_program"),
    ] {
        let mut pty = seated();
        type_policy(&mut pty, command);
        pty.wait_for("the seat is yours");
        assert!(pty.shows(why), "{command}\n{}", pty.screen_text());
        pty.send("L");
        play_to_the_end(&mut pty);
    }
}

#[test]
fn a_policy_that_hangs_is_stopped_in_time_for_the_human() {
    let mut pty = seated();
    let policy = seat_policy(&mut pty, "--on-timeout hand --turn-ms 1000 python3 assets/policies/hang.py");
    pty.wait_for("hang.py has stopped answering");
    pty.wait_for("the seat is yours");
    assert!(pty.shows("did not answer"), "{}", pty.screen_text());
    wait_gone(policy);
    pty.send("L");
    play_to_the_end(&mut pty);
}

#[test]
fn a_seat_is_taken_back_by_one_key() {
    let mut pty = seated();
    let policy = seat_policy(&mut pty, "sh -c 'exec sleep 600'");
    pty.send("h");
    pty.wait_for("driven by you");
    wait_gone(policy);
    pty.send("L");
    play_to_the_end(&mut pty);
}

#[test]
fn a_policy_that_crashes_is_started_again_before_the_human_has_to_play() {
    let mut pty = seated();
    let policy = seat_policy(&mut pty, "python3 assets/policies/crash.py");
    pty.wait_for("started again");
    wait_gone(policy);
    // It crashes anew three turns later, and that was once too often; or the match is over before.
    pty.wait_until("the human plays", |pty| pty.shows("the seat is yours") || is_over(pty));
}

/// Where a model answers, in this process: each turn the first legal action, as free text.
fn endpoint() -> String {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}/v1", listener.local_addr().unwrap());
    thread::spawn(move || {
        while let Ok((mut stream, _)) = listener.accept() {
            read_request(&mut stream);
            let text = json!({"choices": [{"message": {"content": "I wait and see.\n```json\n[]\n```"},
                "finish_reason": "stop"}], "usage": {"prompt_tokens": 321, "completion_tokens": 12}});
            let text = text.to_string();
            let head =
                format!("HTTP/1.1 200 OK\r\nContent-Length: {}\r\nConnection: close\r\n\r\n", text.len());
            let _ = stream.write_all(format!("{head}{text}").as_bytes());
        }
    });
    url
}

fn read_request(stream: &mut TcpStream) {
    let mut bytes = Vec::new();
    let mut piece = [0; 4096];
    while let Ok(n @ 1..) = stream.read(&mut piece) {
        bytes.extend_from_slice(&piece[..n]);
        let text = String::from_utf8_lossy(&bytes).to_lowercase();
        let Some((head, body)) = text.split_once("\r\n\r\n") else { continue };
        let length = head.lines().find_map(|line| line.strip_prefix("content-length: ")?.parse().ok());
        if body.len() >= length.unwrap_or(0) {
            return;
        }
    }
}

/// Who decided, as the recordings of own seats say, once for each change.
fn recorded(pty: &Pty) -> Vec<String> {
    let folder = pty.home().join(".local/share/gert/recordings");
    let mut acts: Vec<(u64, String)> = Vec::new();
    for file in fs::read_dir(folder).unwrap() {
        let text = fs::read_to_string(file.unwrap().path()).unwrap();
        let lines = text.lines().filter_map(|line| serde_json::from_str::<Value>(line).ok());
        acts.extend(lines.filter_map(|line| {
            let act = line.get("act")?;
            assert_eq!(act["player_id"], "p0");
            assert!(act["payload"].is_array() || act["payload"].is_object(), "{act}");
            Some((line["t"].as_u64()?, act["by"].as_str()?.to_owned()))
        }));
    }
    acts.sort();
    let mut who: Vec<String> = acts.into_iter().map(|(_, by)| by).collect();
    who.dedup();
    who
}

#[test]
fn one_seat_is_played_by_hand_by_a_command_and_by_a_model_and_the_recording_says_who_did_what() {
    let url = endpoint();
    let mut pty = seated_in("market_simulator");
    pty.send("\r");
    pty.wait_for("last  human");
    put_policy(&mut pty, "python3 assets/policies/random.py");
    pty.wait_for("last  policy random");
    put_policy(&mut pty, &format!("--openai {url} --model small-2"));
    pty.wait_for("last  policy small-2");
    pty.wait_for("tokens");
    pty.send("h");
    pty.wait_for("driven by you");
    // A match that goes on by itself may leave no time for a key; the next turn does.
    pty.wait_until("the human plays again", |pty| pty.shows("last  human") || pty.shows("● your turn"));
    pty.send("\r");
    pty.wait_for("last  human");
    pty.wait_until("all of it is in the file", |pty| recorded(pty).len() == 4);
    assert_eq!(recorded(&pty), ["human", "policy random", "policy small-2", "human"]);
}

#[test]
fn a_shadow_says_what_it_would_play_only_when_asked() {
    let mut pty = seated();
    pty.send("S");
    pty.wait_for("plays nothing");
    pty.send(&format!("{CLEAR_LINE}python3 assets/policies/random.py\r"));
    pty.wait_for("has decided");
    assert!(!pty.shows("would play drop"), "{}", pty.screen_text());
    pty.send("w");
    pty.wait_for("would play drop");
    pty.send("\r");
    pty.wait_for(" of 1");
}

#[test]
fn the_exact_prompt_is_shown_and_copied_to_the_terminal() {
    let mut pty = seated();
    pty.send("P");
    pty.wait_for("Last observation:");
    pty.send("y");
    pty.wait_for("(OSC 52)");
    pty.wait_until("it is sent", |pty| pty.bytes.windows(7).any(|bytes| bytes == b"\x1b]52;c;"));
}

/// A way out of the program.
type Leave = fn(&mut Pty);

#[test]
fn no_way_out_leaves_a_policy_behind() {
    let mut ways: Vec<(&str, Leave)> = vec![
        ("SIGTERM", |pty| pty.signal(Signal::TERM)),
        ("quit", |pty| {
            pty.send("q");
            pty.wait_for("Quit all the same?");
            pty.send("y");
        }),
    ];
    if cfg!(debug_assertions) {
        ways.push(("panic", |pty| pty.send("\x1b[24~")));
    }
    for (way, leave) in ways {
        let mut pty = Pty::spawn_with(&[GERT, "demo"], &[("GERT_TEST_FAULT", "panic")], WIDE);
        pty.wait_for("▸ connect_four");
        pty.send("py");
        pty.wait_for("● your turn");
        // It reads nothing, so the end of its input does not end it.
        let policy = seat_policy(&mut pty, "sleep 600");
        leave(&mut pty);
        pty.wait_exit();
        assert_eq!(pty.residue(), [""; 0], "after {way}");
        wait_gone(policy);
    }
}

#[test]
fn quitting_with_a_seat_asks_first() {
    let mut pty = seated();
    pty.send("q");
    pty.wait_for("Quit all the same?");
    pty.send("\r");
    pty.wait_until("the question is gone", |pty| !pty.shows("all the same"));
    pty.wait_for("● your turn");
    pty.send("q");
    pty.wait_for("Quit all the same?");
    pty.send("y");
    assert_eq!(pty.wait_exit(), 0);
}

/// A match that goes on by itself; in the market nobody loses by waiting.
fn seated_in(game: &str) -> Pty {
    let mut pty = loaded(WIDE);
    pty.send("/");
    pty.send(game);
    pty.wait_for(&format!("▸ {game}"));
    pty.send("\r");
    pty.send("py");
    pty.wait_for("● your turn");
    pty
}

#[test]
fn a_storm_of_sizes_in_a_match_ends_in_a_whole_frame_and_the_match_goes_on() {
    let mut pty = seated_in("market_simulator");
    for n in 0..150 {
        pty.resize(1 + n % 150, 1 + n % 60);
    }
    pty.resize(110, 35);
    let tick = |pty: &Pty| (is_whole(pty, 110, 35)).then(|| pty.number_after("   tick ")).flatten();
    let drawn = pty.wait_some("the last size is drawn", tick);
    pty.wait_until("it goes on", |pty| tick(pty).is_some_and(|now| now > drawn) || pty.shows("■ ended"));
}

#[test]
fn a_draft_survives_ticks() {
    let mut pty = seated_in("market_simulator");
    pty.send("e");
    pty.wait_for("action as JSON");
    pty.send(&format!("{CLEAR_LINE}\x1b[200~[{{\"half\":\nwritten\x1b[201~"));
    pty.wait_for("written");
    let keys = pty.rows().pop().unwrap();
    assert!(keys.contains("esc close") && !keys.contains("leave"), "keys that are text now: {keys}");
    let tick = |pty: &Pty| pty.number_after("   tick ");
    let begun = tick(&pty).unwrap();
    pty.wait_until("three ticks have passed", |pty| tick(pty).is_some_and(|now| now > begun + 2.0));
    assert!(pty.shows("[{\"half\":") && pty.shows("written"), "{}", pty.screen_text());
    pty.send("\x1b");
    pty.wait_until("the editor is closed", |pty| !pty.shows("action as JSON"));
    pty.send("e");
    pty.wait_for("written");
}

#[test]
fn a_match_that_ends_under_an_open_editor_gives_the_keys_back() {
    let mut pty = seated_in("grid_serpents");
    pty.send("e");
    pty.wait_for("action as JSON");
    // A serpent that is not steered runs into a wall, and the others end the match.
    pty.wait_until("the match is over", is_over);
    pty.send("n");
    pty.wait_for("[ Start ]");
}
