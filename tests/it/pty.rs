//! The built program in a real terminal: it starts, draws, resizes, stops, leaves, and gives the terminal back each
//! time. What people do with it is in `walks`, `seats` and `policies`.
//!
//! Nothing here reaches a network: the program plays on the arena in its own process, or talks to a port of this test.

mod harness;
mod policies;
mod seats;
mod walks;

use harness::{GERT, Pty};
use rustix::process::{Pid, Signal, kill_process};
use std::process::{Command, Stdio};
use std::time::Duration;

/// How fast the program must be gone, whatever ended it.
const GONE: Duration = Duration::from_secs(2);
const SIZE: (u16, u16) = (80, 24);
/// What every frame begins with.
const FRAME: &[u8] = b"\x1b[?2026h";
/// The first words of the first frame.
const HEADER: &str = "gert ▸ arena · demo";
/// The title of the help, which `?` opens.
const HELP: &str = "╭ Keys ─";

/// The demo in a terminal, its first frame drawn; its lists may be on their way.
fn started() -> Pty {
    started_by(&[GERT, "demo"])
}

fn started_by(args: &[&str]) -> Pty {
    let mut pty = Pty::spawn(args, SIZE);
    pty.wait_for(HEADER);
    pty
}

/// The demo, started by a shell. `$0` is the program.
fn started_by_shell(script: &str) -> Pty {
    started_by(&["/bin/sh", "-c", script, GERT])
}

/// The demo that has a fault, which F12 brings about.
#[cfg(debug_assertions)]
fn started_with_fault(fault: &str) -> Pty {
    let mut pty = Pty::spawn_with(&[GERT, "demo"], &[("GERT_TEST_FAULT", fault)], SIZE);
    pty.wait_for(HEADER);
    pty
}

/// The demo with its lists drawn.
fn loaded(size: (u16, u16)) -> Pty {
    let mut pty = Pty::spawn(&[GERT, "demo"], size);
    pty.wait_for("▸ connect_four");
    pty
}

/// Whether a whole frame of this size is on the screen: the rules under the tabs and over the keys, and the keys.
fn is_whole(pty: &Pty, columns: usize, rows: usize) -> bool {
    let shown = pty.rows();
    let rule = "─".repeat(columns);
    let is_rule = |row: usize| shown.get(row).is_some_and(|row| row.trim_end() == rule);
    is_rule(2) && is_rule(rows - 2) && shown.get(rows - 1).is_some_and(|row| !row.trim().is_empty())
}

#[test]
fn it_takes_the_screen_and_gives_everything_back() {
    let mut pty = started();
    let mut taken = pty.residue();
    taken.sort_unstable();
    assert_eq!(taken, ["alternate screen", "bracketed paste", "hidden cursor", "termios"]);
    pty.send("\x1bOQ");
    pty.wait_until("the mouse is on", |pty| pty.residue().contains(&"mouse"));
    pty.send("q");
    assert_eq!(pty.wait_exit(), 0);
    assert_eq!(pty.residue(), [""; 0]);
    assert_eq!(pty.screen_text().trim(), "", "nothing is left on the main screen");
}

#[test]
fn the_mouse_is_off_until_it_is_wanted() {
    let mut pty = started();
    assert!(!pty.residue().contains(&"mouse"));
    pty.send("\x1bOQ");
    pty.wait_until("the mouse is on", |pty| pty.residue().contains(&"mouse"));
    let tabs = pty.rows().remove(1);
    let column = tabs.split("3 Play").next().unwrap().chars().count() + 1;
    pty.send(&format!("\x1b[<0;{column};2M"));
    pty.wait_for("You have no seat");
    pty.send("\x1bOQ");
    pty.wait_until("the mouse is off", |pty| !pty.residue().contains(&"mouse"));
}

#[test]
fn every_signal_that_ends_it_gives_the_terminal_back() {
    for signal in [Signal::TERM, Signal::HUP, Signal::INT, Signal::QUIT] {
        let mut pty = started();
        pty.signal(signal);
        let status = pty.ended_within(GONE).unwrap_or_else(|| panic!("{signal:?} does not end it"));
        assert_eq!(status.exit_code(), 128 + signal.as_raw().unsigned_abs());
        assert_eq!(pty.residue(), [""; 0], "after {signal:?}");
    }
}

#[cfg(debug_assertions)]
#[test]
fn a_blocked_loop_is_ended_by_one_signal_in_time_and_by_two_at_once() {
    for signals in [1, 2] {
        let mut pty = started_with_fault("block");
        pty.send(F12);
        // From here on no key is answered.
        pty.send("?");
        pty.wait_quiet(Duration::from_millis(300));
        assert!(!pty.shows(HELP));
        for _ in 0..signals {
            pty.signal(Signal::TERM);
            // Two signals before the first was taken would be one.
            pty.ended_within(Duration::from_millis(200));
        }
        let limit = if signals == 1 { GONE } else { Duration::from_millis(700) };
        let status = pty.ended_within(limit).unwrap_or_else(|| panic!("{signals} signals do not end it"));
        assert_eq!(status.exit_code(), 128 + 15);
        assert_eq!(pty.residue(), [""; 0], "after {signals} signals");
    }
}

#[cfg(debug_assertions)]
#[test]
fn a_panic_anywhere_ends_it_with_the_message_on_the_main_screen() {
    for (fault, message) in
        [("panic", "the loop was asked to panic"), ("panic-in-task", "a task was asked to panic")]
    {
        let mut pty = started_with_fault(fault);
        pty.send(F12);
        let status = pty.ended_within(GONE).unwrap_or_else(|| panic!("{fault} does not end it"));
        assert_eq!(status.exit_code(), 101);
        assert_eq!(pty.residue(), [""; 0], "after {fault}");
        let shown = pty.screen_text();
        assert!(shown.contains(message) && !shown.contains(HEADER), "{shown}");
    }
}

#[cfg(debug_assertions)]
const F12: &str = "\x1b[24~";

#[test]
fn a_terminal_that_is_closed_ends_it() {
    let mut pty = started();
    pty.hang_up("?");
    assert!(pty.ended_within(GONE).is_some(), "it outlives its terminal");
}

#[test]
fn a_terminal_that_is_closed_without_a_signal_ends_it() {
    // In a session of its own it is told nothing: only its reads fail. `setsid -w` returns its exit status.
    let mut pty = started_by_shell("trap '' HUP; exec setsid -w \"$0\" demo");
    pty.hang_up("?");
    let status = pty.ended_within(GONE).expect("it outlives its terminal");
    assert_eq!(status.exit_code(), 129);
}

/// A shell with job control, which says when the program stopped, and continues it after a line is typed.
const JOB: &str = "set -m; \"$0\" demo; echo status-$?; read line; fg >/dev/null; echo over-$?";

#[test]
fn ctrl_z_stops_it_and_fg_brings_everything_back() {
    let mut pty = started_by_shell(JOB);
    pty.send("\x1bOQ3?");
    pty.wait_for(HELP);
    pty.send("\x1a");
    pty.wait_for("status-147");
    assert_eq!(pty.residue(), [""; 0], "while it is stopped");
    assert!(!pty.shows(HELP));
    pty.send("\r");
    pty.wait_for(HELP);
    pty.wait_until("the frame is whole", |pty| pty.shows(HEADER) && !pty.shows("status-147"));
    assert!(pty.residue().contains(&"mouse"), "{:?}", pty.residue());
    pty.send("\x1b");
    pty.wait_until("the help is closed", |pty| !pty.shows(HELP) && is_whole(pty, 80, 24));
    assert!(pty.shows("You have no seat"));
    pty.send("q");
    pty.wait_for("over-0");
    assert_eq!(pty.residue(), [""; 0]);
}

#[test]
fn it_does_not_stop_where_nothing_could_continue_it() {
    let mut pty = started();
    pty.send("\x1a?");
    pty.wait_for(HELP);
    assert!(pty.residue().contains(&"alternate screen"));
    pty.send("\x1b");
    pty.wait_until("the help is closed", |pty| !pty.shows(HELP));
    pty.send("q");
    assert_eq!(pty.wait_exit(), 0);
}

#[test]
fn a_stop_from_outside_is_recovered_from_whether_announced_or_not() {
    for (signal, taken) in [(Signal::TSTP, false), (Signal::STOP, true)] {
        // Started in the background, where it has to wait for the terminal.
        let mut pty = started_by_shell(&JOB.replace("demo;", "demo & echo pid-$!; fg >/dev/null;"));
        kill_process(printed_pid(&pty), signal).unwrap();
        pty.wait_for("status-147");
        assert_eq!(pty.residue().contains(&"alternate screen"), taken, "stopped by {signal:?}");
        // Not `\r`: the shell may have been left with a raw terminal.
        pty.send("\n");
        pty.wait_until("the frame is whole again", |pty| is_whole(pty, 80, 24) && !pty.shows("status-147"));
        pty.send("q");
        pty.wait_for("over-0");
        assert_eq!(pty.residue(), [""; 0], "after {signal:?}");
    }
}

/// What a shell printed as `pid-N`.
fn printed_pid(pty: &Pty) -> Pid {
    let output = String::from_utf8_lossy(&pty.bytes);
    let (_, rest) = output.split_once("pid-").expect("the shell printed it");
    let digits: String = rest.chars().take_while(char::is_ascii_digit).collect();
    Pid::from_raw(digits.parse().unwrap()).unwrap()
}

#[test]
fn any_size_is_survived() {
    for (size, shown) in [
        ((0, 0), HEADER),
        ((40, 0), "1 Games"),
        ((1, 1), "g"),
        ((2, 2), "ge"),
        ((1, 50), "g"),
        ((1000, 400), HEADER),
        ((65535, 4), "gert needs 40x10; q quits"),
    ] {
        let mut pty = Pty::spawn(&[GERT, "demo"], size);
        pty.wait_for(shown);
        pty.send("j?");
        pty.wait_quiet(Duration::from_millis(100));
        pty.send("\x1b");
        pty.wait_quiet(Duration::from_millis(100));
        pty.send("q");
        assert_eq!(pty.wait_exit(), 0, "at {size:?}");
        assert_eq!(pty.residue(), [""; 0], "at {size:?}");
    }
}

#[test]
fn the_environment_tells_a_size_that_the_terminal_does_not() {
    let mut pty = Pty::spawn_with(&[GERT, "demo"], &[("COLUMNS", "60"), ("LINES", "12")], (0, 0));
    pty.wait_until("the frame is 60x12", |pty| is_whole(pty, 60, 12));
}

#[test]
fn a_storm_of_sizes_ends_in_a_whole_frame() {
    let mut pty = started();
    for n in 0..200 {
        pty.resize(1 + n % 150, 1 + n % 60);
    }
    pty.resize(100, 30);
    pty.wait_until("the last size is drawn", |pty| pty.shows(HEADER) && is_whole(pty, 100, 30));
    pty.send("q");
    assert_eq!(pty.wait_exit(), 0);
}

#[test]
fn it_refuses_before_the_first_byte_where_it_cannot_draw() {
    for term in ["dumb", "", "unknown"] {
        let mut pty = Pty::spawn_with(&[GERT, "demo"], &[("TERM", term)], SIZE);
        assert_eq!(pty.wait_exit(), 1, "TERM={term:?}");
        assert!(!pty.bytes.contains(&0x1b), "TERM={term:?}");
        let written = String::from_utf8_lossy(&pty.bytes);
        assert_eq!(written.trim().lines().count(), 1, "{written}");
    }
    let home = tempfile::tempdir().unwrap();
    let piped =
        Command::new(GERT).arg("demo").env("HOME", home.path()).stdin(Stdio::null()).output().unwrap();
    assert_eq!(piped.status.code(), Some(1));
    assert_eq!(piped.stdout, b"");
    assert_eq!(String::from_utf8(piped.stderr).unwrap().lines().count(), 1);
}

#[test]
fn it_refuses_where_no_key_can_come() {
    // Standard output is the terminal, but it controls nothing in a session of its own.
    let mut pty = Pty::spawn(&["/bin/sh", "-c", "setsid -w \"$0\" demo </dev/null", GERT], SIZE);
    assert_eq!(pty.wait_exit(), 1);
    assert!(!pty.bytes.contains(&0x1b));
    assert!(pty.shows("needs a keyboard"), "{}", pty.screen_text());
}

#[test]
fn keys_come_from_the_terminal_whatever_standard_input_is() {
    for script in ["\"$0\" </dev/null", "\"$0\" <&-", "echo piped | \"$0\"", "exec 3<&0; true | \"$0\""] {
        // The first screen without a key: nothing on it moves by itself.
        let mut pty = Pty::spawn(&["/bin/sh", "-c", script, GERT], SIZE);
        pty.wait_for("▸  Open the arena");
        pty.send("j");
        pty.wait_for("▸  Paste a key");
        assert_eq!(pty.wait_quiet(Duration::from_millis(300)), 0, "it spins: {script}");
        pty.send("q");
        assert_eq!(pty.wait_exit(), 0, "{script}");
        assert_eq!(pty.residue(), [""; 0], "{script}");
    }
}

#[test]
fn two_thousand_keys_at_once_are_all_read_and_cost_few_frames() {
    let mut pty = loaded(SIZE);
    let before = pty.bytes.len();
    // What is left of the text shows that each of them was read, and in order.
    pty.send(&format!("/{}{}", "z".repeat(1000), "\x7f".repeat(999)));
    pty.wait_for("/ z ");
    // A `z` is in the tag `puzzle` alone.
    pty.wait_for("3 of 10");
    let frames = pty.bytes[before..].windows(8).filter(|bytes| *bytes == FRAME).count();
    assert!(frames < 100, "{frames} frames");
}

#[test]
fn nothing_is_written_while_nothing_happens() {
    let mut pty = loaded(SIZE);
    // The past is played when only the six sessions are live that play themselves.
    pty.send("2");
    pty.wait_for("● 6 live");
    pty.send("1");
    pty.wait_for("▸ connect_four");
    pty.wait_quiet(Duration::from_millis(500));
    let before = pty.bytes.len();
    assert!(pty.ended_within(Duration::from_secs(3)).is_none());
    assert_eq!(pty.bytes.len(), before);
}

#[test]
fn a_paste_of_several_lines_is_one_input() {
    let mut pty = started();
    pty.send(":");
    pty.wait_for("Command");
    pty.send("\x1b[200~one\rq\rthree\x1b[201~");
    pty.wait_for(": one q three");
}

#[test]
fn a_paste_without_an_end_leaves_the_keyboard_alive() {
    let mut pty = started();
    pty.send(":");
    pty.wait_for("Command");
    pty.send("\x1b[200~never ends");
    pty.wait_for(": never ends");
    pty.send("\x1b");
    pty.wait_until("the palette is closed", |pty| !pty.shows(": never ends"));
    pty.send("q");
    assert_eq!(pty.wait_exit(), 0);
}

#[test]
fn escape_acts_without_another_key() {
    let mut pty = started();
    pty.send("?");
    pty.wait_for(HELP);
    pty.send("\x1b");
    pty.wait_until("the help is closed", |pty| !pty.shows(HELP));
}
