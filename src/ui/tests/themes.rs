//! Colours and glyphs of whole screens.

use ratatui::buffer::Buffer;
use ratatui::style::{Color, Modifier};

use super::states::{STATES, state};
use super::{ASCII, COLOUR, PLAIN, draw};
use crate::ui::theme::Role;

/// Where the words stand.
fn find(buffer: &Buffer, words: &str) -> (u16, u16) {
    let width = usize::from(buffer.area.width);
    for (y, row) in buffer.content.chunks(width).enumerate() {
        let line: Vec<&str> = row.iter().map(ratatui::buffer::Cell::symbol).collect();
        let found = (0..width).find(|&x| line[x..].concat().starts_with(words));
        if let Some(x) = found {
            return (x as u16, y as u16);
        }
    }
    panic!("`{words}` is not on the screen")
}

#[test]
fn without_colours_no_cell_has_one() {
    for (name, make) in STATES {
        for cell in &draw(&mut make(), (120, 40), &PLAIN).content {
            assert_eq!((cell.fg, cell.bg), (Color::Reset, Color::Reset), "{name}: {}", cell.symbol());
        }
    }
}

#[test]
fn in_ascii_every_cell_is_printable_ascii() {
    for (name, make) in STATES {
        for size in [(120, 40), (80, 24), (200, 60)] {
            for cell in &draw(&mut make(), size, &ASCII).content {
                let plain = cell.symbol().bytes().all(|byte| (0x20..0x7F).contains(&byte));
                assert!(plain, "{name} at {size:?}: {:?}", cell.symbol());
            }
        }
    }
}

#[test]
fn no_background_is_set_without_a_foreground() {
    for (name, make) in STATES {
        for cell in &draw(&mut make(), (120, 40), &COLOUR).content {
            assert!(cell.bg == Color::Reset || cell.fg != Color::Reset, "{name}: {}", cell.symbol());
        }
    }
}

#[test]
fn the_selection_is_seen_without_colours() {
    let buffer = draw(&mut state("games_full"), (80, 24), &PLAIN);
    let at = find(&buffer, "▸ connect_four");
    assert!(buffer[at].modifier.contains(Modifier::REVERSED));
    assert!(!buffer[(at.0, at.1 + 1)].modifier.contains(Modifier::REVERSED));
}

#[test]
fn colours_say_what_they_mean() {
    let cases = [
        ("games_failed", "✗ The platform", Role::Bad),
        ("credits_full", "◆ 998.42 cr", Role::Money),
        ("sessions_past", "✗ failed", Role::Bad),
        ("play_by_hand", "● your turn", Role::Good),
        ("play_refused", "✗ refused", Role::Bad),
        ("watching_lost", "! link lost", Role::Warn),
        ("watching", "○ p1", Role::Seat(1)),
    ];
    for (name, words, role) in cases {
        let buffer = draw(&mut state(name), (120, 40), &COLOUR);
        let cell = &buffer[find(&buffer, words)];
        assert_eq!(Some(cell.fg), COLOUR.style(role).fg, "{name}: {words}");
    }
}
