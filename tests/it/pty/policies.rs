//! Policies and the terminal: who hears ctrl-c, and where what they write goes.

use std::fs;
use std::time::Duration;

use super::harness::{GERT, Pty};
use super::seats::{WIDE, is_over, seated, type_policy, wait_gone};
use super::{GONE, is_whole};
use rustix::process::Pid;

/// Plays the first listed action through the first pair of games, then thinks for ever. Says in files that it thinks, that
/// it was interrupted, and that its input ended.
const THINKER: &str = r"
import json, os, signal, sys
note = lambda name: open(os.path.join(os.environ['HOME'], name), 'w').write(str(os.getpid()))
signal.signal(signal.SIGINT, lambda *_: note('interrupted'))
matches = 0
for line in sys.stdin:
    message = json.loads(line)
    matches += message['type'] == 'hello'
    if message['type'] == 'observe' and matches < 3:
        action = message['observation']['_action_space'][0]['action']
        print(json.dumps({'id': message['id'], 'action': [action]}), flush=True)
    elif message['type'] == 'observe':
        note('thinking')
note('ended')
";

#[test]
fn ctrl_c_reaches_the_program_alone_which_keeps_the_results_and_ends_the_policy_in_order() {
    // B-20
    let policy = format!("python3 -c \"{THINKER}\"");
    let words = [GERT, "policy", "match", &policy, "ai:random", "--game", "connect_four", "-j", "1"];
    let mut pty = Pty::spawn(&[&words[..], &["--seed", "4", "--sprt", "off"]].concat(), WIDE);
    let file = |pty: &Pty, name: &str| fs::read_to_string(pty.home().join(name)).ok();
    pty.wait_until("it thinks", |pty| file(pty, "thinking").is_some());
    // The table is drawn where it stands.
    pty.wait_for("2 games of connect_four");
    assert!(
        pty.shows("PLAYER") && pty.shows("ELO (95 %)") && pty.shows("B ai:random"),
        "{}",
        pty.screen_text()
    );
    pty.send("\x03");
    assert_eq!(pty.wait_exit(), 130);
    assert!(pty.shows("stopped by the user"), "{}", pty.screen_text());
    assert!(!pty.shows("crash  1"), "{}", pty.screen_text());
    assert_eq!((file(&pty, "interrupted"), file(&pty, "ended").is_some()), (None, true));
    let folder = pty.home().join(".local/state/gert/matches");
    let kept = fs::read_dir(folder).unwrap().next().unwrap().unwrap();
    assert_eq!(fs::read_to_string(kept.path()).unwrap().lines().count(), 2, "the settings and one pair");
    assert_eq!(pty.residue(), [""; 0]);
}

#[test]
fn a_second_ctrl_c_does_not_wait_for_a_policy_that_stays() {
    // B-20
    let stays = "sh -c 'trap \"\" TERM; echo $$ >$HOME/pid; cat >/dev/null; while :; do sleep 1; done'";
    let words = [GERT, "policy", "play", "--arena", "--game", "connect_four", "--policy"];
    let mut pty = Pty::spawn(&[&words[..], &[stays]].concat(), WIDE);
    let pid = |pty: &Pty| fs::read_to_string(pty.home().join("pid")).ok()?.trim().parse().ok();
    let pid: i32 = pty.wait_some("it runs", pid);
    pty.send("\x03");
    pty.wait_for("ctrl-c again ends at once");
    pty.send("\x03");
    let status = pty.ended_within(GONE + Duration::from_secs(2)).expect("it ends");
    assert_eq!(status.exit_code(), 130);
    wait_gone(Pid::from_raw(pid).unwrap());
}

#[test]
fn a_ladder_is_drawn_where_it_stands_while_it_is_climbed() {
    let policy = "python3 assets/policies/random.py";
    let words = [GERT, "policy", "ladder", policy, "--game", "connect_four", "--games", "2000", "-j", "2"];
    let mut pty = Pty::spawn(&words, WIDE);
    pty.wait_until("some games were played", |pty| {
        pty.shows("0 of 5 bands beaten") && pty.shows("left at most")
    });
    let band = |row: &String| row.trim_start().split_once(" %").map(|(band, _)| band.to_owned());
    let is_number = |band: &String| band.parse::<u8>().is_ok();
    let bands: Vec<String> = pty.rows().iter().filter_map(band).filter(is_number).collect();
    assert_eq!(bands, ["90", "75", "50", "25", "10"], "{}", pty.screen_text());
    assert_eq!(pty.rows().iter().filter(|row| row.contains("BADGE")).count(), 1, "it is drawn over itself");
    pty.send("\x03");
    assert_eq!(pty.wait_exit(), 130);
    assert!(pty.shows("gert policy ladder 'python3"), "{}", pty.screen_text());
}

/// Floods its standard error with what would garble a screen, and plays.
const NOISY: &str = r"
import json, sys
for line in sys.stdin:
    message = json.loads(line)
    if message['type'] == 'observe':
        for n in range(200):
            print('\x1b[2J\x1b[31mSPILT', n, '\x07\r\x1b[10;10H', file=sys.stderr, flush=True)
        action = message['observation']['_action_space'][0]['action']
        print(json.dumps({'id': message['id'], 'action': [action]}), flush=True)
";

#[test]
fn what_a_policy_writes_on_the_side_lands_in_its_log_and_the_frame_stays_whole() {
    // B-22
    let mut pty = seated();
    let script = pty.home().join("noisy.py");
    fs::write(&script, NOISY).unwrap();
    type_policy(&mut pty, &format!("python3 {}", script.display()));
    pty.wait_for("SPILT 199");
    pty.wait_until("it has played to the end", is_over);
    assert!(is_whole(&pty, WIDE.0.into(), WIDE.1.into()), "{}", pty.screen_text());
    // Its words are text: none of its sequences went with them.
    for sequence in [&b"\x1b[2J\x1b[31mSPILT"[..], b"\x07", b"\x1b[10;10H\n"] {
        assert!(!pty.bytes.windows(sequence.len()).any(|bytes| bytes == sequence), "{sequence:?}");
    }
}

/// Writes to the terminal itself, past all pipes.
const RUDE: &str = r"
import sys
open('/dev/tty', 'w').write('\x1b[8;20HSPILT OVER THE SCREEN')
for line in sys.stdin:
    pass
";

#[test]
fn what_was_written_over_the_screen_is_gone_after_the_redraw_key() {
    // B-22
    let mut pty = seated();
    let script = pty.home().join("rude.py");
    fs::write(&script, RUDE).unwrap();
    type_policy(&mut pty, &format!("python3 {}", script.display()));
    pty.wait_for("SPILT OVER THE SCREEN");
    pty.send("\x0c");
    pty.wait_until("it is drawn again", |pty| !pty.shows("SPILT OVER"));
    assert!(is_whole(&pty, WIDE.0.into(), WIDE.1.into()), "{}", pty.screen_text());
}
