//! What holds at every size.

use super::states::{STATES, state};
use super::{COLOUR, PLAIN, Rig, draw, text};

/// Around every width and height at which a layout changes.
const SIZES: [(u16, u16); 30] = [
    (0, 0),
    (0, 10),
    (10, 0),
    (1, 1),
    (2, 3),
    (200, 1),
    (1, 60),
    (39, 9),
    (39, 24),
    (40, 9),
    (40, 10),
    (40, 11),
    (40, 12),
    (40, 60),
    (57, 13),
    (69, 15),
    (70, 16),
    (75, 21),
    (76, 22),
    (80, 24),
    (99, 24),
    (100, 24),
    (120, 40),
    (139, 22),
    (140, 23),
    (149, 30),
    (150, 10),
    (150, 40),
    (199, 59),
    (200, 60),
];

#[test]
fn nothing_panics_at_any_size() {
    for (_, make) in STATES {
        let mut rig = make();
        for size in SIZES {
            draw(&mut rig, size, &COLOUR);
        }
        // And back, with what the large screens taught it.
        for size in SIZES.into_iter().rev() {
            draw(&mut rig, size, &COLOUR);
        }
    }
}

#[test]
fn a_screen_that_is_too_small_says_so() {
    for size in [(39, 10), (40, 9), (20, 5)] {
        let shown = text(&draw(&mut state("games_full"), size, &PLAIN)).replace('\n', " ");
        assert!(shown.contains("gert needs") && shown.contains("40x10"), "{size:?}: {shown}");
    }
}

#[test]
fn whatever_can_be_clicked_lies_on_the_screen() {
    for (name, make) in STATES {
        for size in [(40, 10), (40, 12), (80, 24), (120, 40), (200, 60)] {
            let mut rig = make();
            draw(&mut rig, size, &PLAIN);
            for (area, hit) in
                rig.app.screen().hits.iter().filter(|(area, _)| area.width > 0 && area.height > 0)
            {
                let inside = area.x + area.width <= size.0 && area.y + area.height <= size.1;
                assert!(inside, "{name} at {size:?}: {hit:?} lies at {area:?}");
            }
        }
    }
}

#[test]
fn the_selection_is_in_sight_however_small_the_screen() {
    for height in [10, 11, 12, 16, 24] {
        let mut rig = state("sessions_full");
        for nth in 0..4 {
            let shown = text(&draw(&mut rig, (80, height), &PLAIN));
            assert!(shown.contains('▸'), "row {nth} at height {height}:\n{shown}");
            rig.press("down");
        }
    }
}

#[test]
fn what_a_session_costs_and_its_buttons_are_in_sight_before_it_is_started() {
    for name in ["form", "form_many_seats", "form_refused"] {
        for size in [(40, 10), (40, 12), (60, 14), (80, 24), (120, 40)] {
            let shown = text(&draw(&mut state(name), size, &PLAIN));
            for words in ["costs at most", " cr", "Cancel", "Start"] {
                assert!(shown.contains(words), "{name} at {size:?} lacks `{words}`:\n{shown}");
            }
        }
    }
}

#[test]
fn a_question_is_whole_with_its_buttons() {
    for size in [(40, 12), (80, 24), (120, 40)] {
        let shown = text(&draw(&mut state("confirm"), size, &PLAIN));
        for words in ["Leave s_mine?", "[ Stay ]", "[ Leave ]"] {
            assert!(shown.contains(words), "{size:?} lacks `{words}`:\n{shown}");
        }
        let shown = text(&draw(&mut state("play_delegate_question"), size, &PLAIN));
        let buttons = shown.lines().find(|line| line.contains("[ Not now ]")).unwrap();
        let between = buttons.split_once(" ]").unwrap().1.split_once("[ ").unwrap().0;
        assert_eq!(between.trim(), "", "{shown}");
    }
}

#[test]
fn a_typed_key_is_not_shown() {
    let mut rig = crate::app::tests::harness::Rig::start(false).0;
    rig.press("p");
    rig.type_in("sk_secret");
    let shown = text(&draw(&mut rig, (80, 24), &PLAIN));
    assert!(shown.contains("•••••••••") && !shown.contains("secret"), "{shown}");
}

#[test]
fn the_cursor_is_in_sight_in_a_line_of_any_length() {
    use crate::ui::panes::play::editor_line;
    for (letter, length) in [("x", 200_000), ("漢", 100_000), ("x", 3)] {
        let line = letter.repeat(length);
        for at in [0, 1, length / 2, length] {
            let spans = editor_line(&line, Some(at), 20, &PLAIN);
            let wide: usize = spans.iter().map(ratatui::text::Span::width).sum();
            assert!(spans.len() == 3 && spans[1].width() > 0 && wide <= 21, "{letter} {at}: {spans:?}");
            assert!(spans[0].width() <= 19);
        }
    }
}

#[test]
fn a_read_only_profile_says_so_at_every_usual_size() {
    let mut rig = Rig::loaded();
    rig.app.boot.read_only = true;
    for size in [(40, 12), (80, 24), (160, 50)] {
        let screen = text(&draw(&mut rig, size, &PLAIN));
        assert!(screen.lines().next().is_some_and(|header| header.contains("read-only")), "{screen}");
    }
}
