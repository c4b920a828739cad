//! What the screen shows: text snapshots of every state, and what must hold at every size, for any text.
//!
//! [`states`] makes the states; `sizes` and `hostile` hold the rules. After an intended change of a screen run with
//! `INSTA_UPDATE=always` and read the difference.

mod hostile;
mod sizes;
mod snapshots;
mod states;
mod themes;

use ratatui::Terminal;
use ratatui::backend::TestBackend;
use ratatui::buffer::Buffer;

use super::screen;
use super::theme::{ColorDepth, Theme};
use crate::app::tests::harness::Rig;

const PLAIN: Theme = Theme::new(ColorDepth::None, false);
const COLOUR: Theme = Theme::new(ColorDepth::True, false);
const ASCII: Theme = Theme::new(ColorDepth::Ansi16, true);

/// Draws as the loop does: once more if the first frame taught the state something.
fn draw(rig: &mut Rig, (width, height): (u16, u16), theme: &Theme) -> Buffer {
    let mut terminal = Terminal::new(TestBackend::new(width, height)).unwrap();
    loop {
        rig.draw();
        let mut drawn = None;
        let frame = terminal.draw(|frame| drawn = Some(screen::draw(&rig.app, theme, frame))).unwrap();
        let buffer = frame.buffer.clone();
        if !rig.app.learn(drawn.unwrap()) {
            return buffer;
        }
    }
}

/// The screen as text, a line a row.
fn text(buffer: &Buffer) -> String {
    let width = usize::from(buffer.area.width);
    let mut rows = Vec::new();
    for cells in buffer.content.chunks(width.max(1)) {
        let mut row = String::new();
        let mut behind = 0;
        for cell in cells {
            // The cells behind a wide letter belong to it.
            if behind == 0 {
                row.push_str(cell.symbol());
                behind = crate::text::width(cell.symbol());
            }
            behind = behind.saturating_sub(1);
        }
        rows.push(row.trim_end().to_owned());
    }
    rows.join("\n")
}
