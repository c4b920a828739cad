//! Every case is bytes in, inputs out.

use super::*;
use crossterm::event::{MouseButton, MouseEventKind};
use proptest::prelude::*;

/// What the reads, one after another, and then silence come to.
fn decode(reads: &[&[u8]]) -> Vec<Input> {
    let mut decoder = Decoder::default();
    let mut out = Vec::new();
    for read in reads {
        decoder.feed(read, &mut out);
    }
    while decoder.patience().is_some() {
        decoder.give_up(&mut out);
    }
    out
}

fn char(c: char) -> Input {
    key(KeyCode::Char(c), KeyModifiers::NONE)
}

fn alt(c: char) -> Input {
    key(KeyCode::Char(c), KeyModifiers::ALT)
}

fn plain(code: KeyCode) -> Input {
    key(code, KeyModifiers::NONE)
}

fn paste(text: &str) -> Input {
    Input::Paste(text.to_owned())
}

fn check(bytes: &[u8], expected: &[Input]) {
    assert_eq!(decode(&[bytes]), expected, "{:?}", bytes.escape_ascii().to_string());
    // However the bytes are split over reads, they mean the same.
    let one_by_one: Vec<&[u8]> = bytes.chunks(1).collect();
    assert_eq!(decode(&one_by_one), expected, "split: {:?}", bytes.escape_ascii().to_string());
}

#[test]
fn keys_mean_what_is_on_them() {
    check(b"j", &[char('j')]);
    check(b"\r", &[plain(KeyCode::Enter)]);
    check(b"\t", &[plain(KeyCode::Tab)]);
    check(b"\x7f", &[plain(KeyCode::Backspace)]);
    check(b"\x03", &[key(KeyCode::Char('c'), KeyModifiers::CONTROL)]);
    check(b"\x1a", &[key(KeyCode::Char('z'), KeyModifiers::CONTROL)]);
    check("é€𝄞".as_bytes(), &[char('é'), char('€'), char('𝄞')]);
    check(b"\x1b[A\x1bOA", &[plain(KeyCode::Up), plain(KeyCode::Up)]);
    check(b"\x1b[1;5C", &[key(KeyCode::Right, KeyModifiers::CONTROL)]);
    check(b"\x1b[Z", &[key(KeyCode::BackTab, KeyModifiers::SHIFT)]);
    check(
        b"\x1b[5~\x1b[15~\x1bOP\x1b[[A",
        &[plain(KeyCode::PageUp), plain(KeyCode::F(5)), plain(KeyCode::F(1)), plain(KeyCode::F(1))],
    );
}

#[test]
fn escape_is_a_key_when_nothing_follows() {
    check(b"\x1b", &[plain(KeyCode::Esc)]);
    check(b"\x1b\x1b", &[plain(KeyCode::Esc), plain(KeyCode::Esc)]);
    check(b"\x1b\x1bj", &[plain(KeyCode::Esc), plain(KeyCode::Esc), char('j')]);
    assert_eq!(Decoder { pending: b"\x1b".to_vec(), paste: None }.patience(), Some(ESCAPE_WAIT));
}

#[test]
fn alt_is_an_escape_before_the_key() {
    check(b"\x1bx", &[alt('x')]);
    check("\x1bé".as_bytes(), &[alt('é')]);
    check(b"\x1b\x1b[A", &[key(KeyCode::Up, KeyModifiers::ALT)]);
    check(b"\x1b[", &[alt('[')]);
    check(b"\x1b]", &[alt(']')]);
    check(b"\x1b]j", &[alt(']'), char('j')]);
    check(b"\x1bO", &[alt('O')]);
}

#[test]
fn releases_are_dropped_and_repeats_kept() {
    // The keyboard protocol that reports them may have been left on by another program.
    let inputs = decode(&[b"\x1b[97;1:1u\x1b[97;1:2u\x1b[97;1:3u"]);
    let kinds: Vec<_> = inputs
        .iter()
        .map(|input| matches!(input, Input::Key(key) if key.code == KeyCode::Char('a')))
        .collect();
    assert_eq!(kinds, [true, true]);
}

#[test]
fn a_paste_is_one_input_whatever_is_in_it() {
    check(b"\x1b[200~a\rb\r\nc\x1b[A\x1b[201~q", &[paste("a\nb\nc\x1b[A"), char('q')]);
    check(b"\x1b[200~\x1b[201~", &[paste("")]);
    check("\x1b[200~é\x1b[201~".as_bytes(), &[paste("é")]);
    check(b"\x1b[201~q", &[char('q')]);
}

#[test]
fn an_open_paste_ends_by_silence_or_by_ctrl_c() {
    check(b"\x1b[200~lost", &[paste("lost")]);
    let ctrl_c = key(KeyCode::Char('c'), KeyModifiers::CONTROL);
    assert_eq!(decode(&[b"\x1b[200~lost", b"\x03", b"q"]), [paste("lost"), ctrl_c, char('q')]);
    // In the middle of a read it was pasted.
    assert_eq!(decode(&[b"\x1b[200~a\x03b\x1b[201~"]), [paste("a\x03b")]);
}

#[test]
fn a_paste_that_is_too_long_is_not_kept() {
    let long = vec![b'x'; MAX_PASTE + 1];
    assert_eq!(decode(&[PASTE_START, &long, &long, PASTE_END, b"q"]), [Input::PasteTooLong, char('q')]);
    let just = vec![b'x'; MAX_PASTE - PASTE_END.len()];
    assert!(
        matches!(&decode(&[PASTE_START, &just, PASTE_END])[..], [Input::Paste(text)] if text.len() == just.len())
    );
}

#[test]
fn answers_to_the_questions_of_other_programs_are_no_keys() {
    check(b"\x1b]11;rgb:1e1e/1e1e/1e1e\x1b\\q", &[char('q')]);
    check(b"\x1b]11;rgb:1e1e/1e1e/1e1e\x07q", &[char('q')]);
    check(b"\x1bP>|xterm(390)\x1b\\q", &[char('q')]);
    check(b"\x1b[?62;22cq", &[char('q')]);
    check(b"\x1b[?1u\x1b[24;80Rq", &[char('q')]);
}

#[test]
fn the_mouse_counts_from_zero() {
    let inputs = decode(&[b"\x1b[<0;3;5M"]);
    let [Input::Mouse(mouse)] = inputs[..] else { panic!("{inputs:?}") };
    assert_eq!((mouse.kind, mouse.column, mouse.row), (MouseEventKind::Down(MouseButton::Left), 2, 4));
    check(b"\x1b[<0;0;5Mq\x1b[35;0;0Mq", &[char('q'), char('q')]);
}

#[test]
fn what_is_broken_does_not_take_the_next_key_with_it() {
    check(b"\xffq", &[char('q')]);
    check(b"\xc3q", &[char('q')]);
    check(b"\x1b[1;\x1b[A", &[plain(KeyCode::Up)]);
    check(b"\x1b[1;\rq", &[plain(KeyCode::Enter), char('q')]);
    let endless = [b"\x1b[".as_slice(), &[b'1'; 100], b"~q"].concat();
    assert_eq!(decode(&[&endless]).last(), Some(&char('q')));
}

proptest! {
    /// No bytes panic, wherever reads cut them, and after a silence nothing is pending.
    #[test]
    fn any_bytes_are_survived(reads in prop::collection::vec(noise(), 0..8)) {
        let reads: Vec<&[u8]> = reads.iter().map(Vec::as_slice).collect();
        let mut with_key = reads.clone();
        with_key.push(b"q");
        let mut decoder = Decoder::default();
        let mut out = Vec::new();
        for read in &reads {
            decoder.feed(read, &mut out);
        }
        decoder.give_up(&mut out);
        prop_assert_eq!(decoder.patience(), None);
        out.clear();
        decoder.feed(b"q", &mut out);
        prop_assert_eq!(out, [char('q')]);
    }
}

/// Bytes that look like sequences more often than chance has it.
fn noise() -> impl Strategy<Value = Vec<u8>> {
    let piece = prop_oneof![
        any::<u8>().prop_map(|byte| vec![byte]),
        "\\PC{0,4}".prop_map(String::into_bytes),
        "\x1b\\[[<?M]?[0-9;:]{0,12}[A-Za-z~]".prop_map(String::into_bytes),
        "\x1b[\\]PO_][0-9A-Z;]{0,5}".prop_map(String::into_bytes),
        Just(PASTE_START.to_vec()),
        Just(PASTE_END.to_vec()),
    ];
    prop::collection::vec(piece, 0..12).prop_map(|pieces| pieces.concat())
}
