//! Ways through the program that need no seat in a match: browsing, watching, and the screens for those who have no
//! key, no server or the wrong key.

use super::harness::{GERT, Pty};
use super::{HELP, loaded};
use std::io::{Read, Write};
use std::net::{Ipv4Addr, TcpListener};
use std::thread;
use std::time::{Duration, Instant};

const WIDE: (u16, u16) = (100, 30);
const KEY: &str = "sk_gert_never_to_be_seen";

#[test]
fn games_are_browsed_filtered_and_read_and_the_way_out_is_q() {
    let mut pty = loaded(WIDE);
    pty.send("j");
    pty.wait_for("▸ grid_serpents");
    pty.send("\x1b[A");
    pty.wait_for("▸ connect_four");
    pty.send("/market");
    pty.wait_for("1 of 10");
    pty.wait_for("▸ market_simulator");
    pty.send("\x1b");
    pty.wait_for("10 of 10");
    pty.send("g\r");
    pty.wait_until("the rules have the whole width", |pty| {
        pty.shows("Overview") && !pty.shows("▸ connect_four")
    });
    pty.send("\r");
    pty.wait_for("▸ connect_four");
    pty.send("?");
    pty.wait_for(HELP);
    pty.send("\x1b");
    pty.wait_until("the help is closed", |pty| !pty.shows(HELP));
    pty.send(":credits");
    pty.wait_for("▸ credits");
    pty.send("\r");
    pty.wait_for("credits a day");
    pty.send("q");
    assert_eq!(pty.wait_exit(), 0);
    assert_eq!(pty.residue(), [""; 0]);
}

#[test]
fn a_live_session_is_watched_left_and_watched_again() {
    let mut pty = loaded(WIDE);
    pty.send("2");
    // The past is played when only the six sessions are live that play themselves.
    pty.wait_for("● 6 live");
    pty.send("ag");
    pty.wait_for("6 of ");
    let is_chosen =
        |pty: &Pty| pty.rows().iter().any(|row| row.starts_with('▸') && row.contains("market_simulator"));
    while !is_chosen(&pty) {
        let chosen = |pty: &Pty| pty.rows().iter().position(|row| row.starts_with('▸'));
        let before = chosen(&pty);
        pty.send("j");
        pty.wait_until("the next one is chosen", |pty| chosen(pty) != before);
    }
    pty.send("\r");
    let tick = |pty: &Pty| pty.shows("● live").then(|| pty.number_after("   tick ")).flatten();
    let first = pty.wait_some("it is on screen", |pty| tick(pty).filter(|_| pty.shows("book ORE")));
    pty.wait_until("it goes on", |pty| tick(pty).is_some_and(|now| now > first));
    let left = tick(&pty).unwrap();
    pty.send("\x1b");
    pty.wait_for("⏎ watches it");
    pty.send("\r");
    pty.wait_until("it went on meanwhile", |pty| tick(pty).is_some_and(|now| now > left));
}

#[test]
fn six_sessions_on_the_wall_one_zoomed_gone_back_in_marked_left_and_opened_again() {
    let mut pty = loaded((160, 50));
    pty.send("2");
    pty.wait_for("● 6 live");
    pty.send("W");
    pty.wait_for("6 of 6 live");
    let serpents = |pty: &Pty| pty.rows().iter().any(|row| row.contains("▸ grid_serpents"));
    for _ in 0..6 {
        if serpents(&pty) {
            break;
        }
        pty.send("l");
        pty.wait_quiet(Duration::from_millis(100));
    }
    pty.send("\r");
    pty.wait_for("‹ Sessions   grid_serpents");
    pty.wait_until("a few moments are recorded", |pty| {
        pty.shows(" moments, ") && pty.number_after("   tick ").is_some_and(|tick| tick > 4.0)
    });
    // Fifty ticks back, or to its beginning.
    pty.send("\x1b[5~");
    pty.wait_for("behind, l live");
    pty.send("b");
    pty.wait_for("bookmark");
    pty.send("nlook here\r");
    pty.wait_for("look here");
    pty.send("l");
    pty.wait_until("it is live again", |pty| !pty.shows("behind, l live") && pty.shows("┤ live"));
    pty.send("\x1b");
    pty.wait_for("6 of 6 live");
    pty.send("\x1b");
    pty.wait_for("/ filter");
    pty.send("aa");
    pty.wait_for("6 of 6");
    pty.send("/serpents\r\r");
    pty.wait_for("▪ recorded");
    pty.wait_for("0:00 of");
    pty.send("\x1b");
    pty.wait_for("▪ watched");
    pty.send("q");
    assert_eq!(pty.wait_exit(), 0);
    assert_eq!(pty.residue(), [""; 0]);
}

#[test]
fn without_a_key_one_letter_opens_the_arena() {
    let mut pty = Pty::spawn(&[GERT], (80, 24));
    pty.wait_for("There is no API key yet");
    pty.send("a");
    pty.wait_for("▸ connect_four");
    pty.send("q");
    assert_eq!(pty.wait_exit(), 0);
}

#[test]
fn a_server_that_is_not_there_is_told_and_asked_again_without_haste() {
    let port = {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
        listener.local_addr().unwrap().port()
    };
    let mut pty = on_server(port);
    pty.wait_for("The platform does not answer");
    for words in [&*format!("http://127.0.0.1:{port}/api/v1"), "check that the server runs", "R tries now"] {
        assert!(pty.shows(words), "{words}\n{}", pty.screen_text());
    }
    let before = cpu_time(&pty);
    assert!(pty.ended_within(Duration::from_secs(3)).is_none());
    let spent = cpu_time(&pty).saturating_sub(before);
    assert!(spent < Duration::from_millis(300), "{spent:?} of three seconds");
    pty.send("q");
    let asked = Instant::now();
    assert_eq!(pty.wait_exit(), 0);
    assert!(asked.elapsed() < Duration::from_secs(1), "{:?}", asked.elapsed());
    assert!(!String::from_utf8_lossy(&pty.bytes).contains(KEY));
}

#[test]
fn a_key_that_is_refused_leads_to_a_choice_and_is_never_shown() {
    let mut pty = on_server(refusing_server());
    pty.wait_for("The platform refused the key");
    for words in ["the key is unknown here", "Open the arena", "Paste a key", "Quit"] {
        assert!(pty.shows(words), "{words}\n{}", pty.screen_text());
    }
    pty.send(&format!("p{KEY}"));
    pty.wait_for("key  ••••");
    pty.send("\r");
    pty.wait_for("the platform refuses this key");
    pty.send("\u{1b}");
    pty.wait_until("the choices are back", |pty| !pty.shows("key  •"));
    pty.send("a");
    pty.wait_for("▸ connect_four");
    pty.send("q");
    assert_eq!(pty.wait_exit(), 0);
    assert!(!String::from_utf8_lossy(&pty.bytes).contains(KEY));
}

#[test]
fn no_color_leaves_no_colour_and_a_selection_that_is_seen() {
    let mut pty = Pty::spawn_with(&[GERT, "demo"], &[("NO_COLOR", "1")], WIDE);
    pty.wait_for("▸ connect_four");
    pty.send("2");
    pty.wait_for("● live");
    assert!(pty.is_reversed("2 Sessions"), "{}", pty.screen_text());
    pty.send("9");
    pty.wait_for("credits a day");
    let output = String::from_utf8_lossy(&pty.bytes);
    for sequence in output.split("\x1b[").skip(1) {
        let Some((parameters, _)) = sequence.split_once('m') else { continue };
        // What holds anything else is no colour sequence.
        let numbers: Option<Vec<u16>> =
            parameters.split([';', ':']).map(|number| number.parse().ok()).collect();
        let coloured = |number: &u16| matches!(number, 30..=38 | 40..=48 | 58 | 90..=107);
        assert!(!numbers.unwrap_or_default().iter().any(coloured), "{parameters}");
    }
}

/// The program with a key, on a server of this machine.
fn on_server(port: u16) -> Pty {
    let base_url = format!("http://127.0.0.1:{port}/api/v1");
    Pty::spawn_with(&[GERT, "--base-url", &base_url], &[("GERT_API_KEY", KEY)], WIDE)
}

/// A server that knows no key. It ends with the test process.
fn refusing_server() -> u16 {
    const BODY: &str =
        r#"{"error":{"code":"invalid_api_key","message":"the key is unknown here"},"request_id":"req_1"}"#;
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
    let port = listener.local_addr().unwrap().port();
    thread::spawn(move || {
        for mut stream in listener.incoming().flatten() {
            let mut head = Vec::new();
            let mut bytes = [0; 1024];
            while let Ok(n @ 1..) = stream.read(&mut bytes) {
                head.extend_from_slice(&bytes[..n]);
                if head.windows(4).any(|end| end == b"\r\n\r\n") {
                    break;
                }
            }
            // A client that went away does not wait for its answer.
            let _ = write!(
                stream,
                "HTTP/1.1 401 Unauthorized\r\nContent-Type: application/json\r\nConnection: close\r\n\
                 Content-Length: {}\r\n\r\n{BODY}",
                BODY.len()
            );
        }
    });
    port
}

/// What the program has cost so far. Zero where the system does not tell it as Linux does.
fn cpu_time(pty: &Pty) -> Duration {
    let Ok(stat) = std::fs::read_to_string(format!("/proc/{}/stat", pty.pid().as_raw_nonzero())) else {
        return Duration::ZERO;
    };
    // proc_pid_stat(5): fields 14 and 15, in hundredths of a second; the name before them may hold blanks.
    let fields: Vec<u64> = stat
        .rsplit(')')
        .next()
        .unwrap()
        .split_whitespace()
        .skip(11)
        .take(2)
        .map(|n| n.parse().unwrap())
        .collect();
    Duration::from_millis(fields.iter().sum::<u64>() * 10)
}
