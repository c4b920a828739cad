//! A recording as a film of the drawn screen: asciicast v2, as `asciinema play` shows it.
//!
//! Each frame is drawn in memory by the dashboard's own renderers; what differs from the frame before it is written.

use std::io::{self, Write};
use std::path::Path;
use std::time::Duration;

use ratatui::backend::{Backend, CrosstermBackend};
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::text::{Line, Span};
use ratatui::widgets::Widget;
use serde_json::{Value, json};

use crate::tape::{View, Walk};
use crate::text;
use crate::ui::render::{self, Folds, SceneInput};
use crate::ui::theme::{ColorDepth, Role, Theme, asciify};

use super::words::{clock, scores, word};

/// The shortest time that a frame is shown for, in seconds of the film.
const SHORTEST: f64 = 1.0 / 30.0;
/// How long the last frame stays.
const LAST: f64 = 2.0;

/// How a film is made.
pub(super) struct Film {
    pub(super) width: u16,
    pub(super) height: u16,
    pub(super) speed: f64,
    pub(super) idle_limit: f64,
    pub(super) ascii: bool,
}

impl Film {
    /// Writes the film of a recording.
    pub(super) fn write(&self, file: &Path, out: &mut dyn Write) -> io::Result<()> {
        let times = self.times(&mut Walk::open(file)?)?;
        let mut walk = Walk::open(file)?;
        let theme = Theme::new(ColorDepth::Ansi256, self.ascii);
        let header = walk.header();
        let title = format!("gert: session {}", word(&header.session_id, 60));
        let head = json!({"version": 2, "width": self.width, "height": self.height,
            "timestamp": header.started_at.as_second(), "title": title});
        writeln!(out, "{head}")?;
        let area = Rect::new(0, 0, self.width, self.height);
        let mut shown = Buffer::empty(area);
        let mut drawn_at: Option<f64> = None;
        for (nth, time) in times.iter().enumerate() {
            let Some(at) = walk.step()? else { break };
            let view = walk.view();
            // One that the next replaces at once is not drawn.
            let until = times.get(nth + 1).copied().unwrap_or(f64::INFINITY);
            if drawn_at.is_some_and(|drawn| until - drawn < SHORTEST) {
                continue;
            }
            let frame = draw(view, at, &theme, area);
            let mut bytes = if drawn_at.is_none() { b"\x1b[?25l\x1b[2J".to_vec() } else { Vec::new() };
            CrosstermBackend::new(&mut bytes).draw(shown.diff(&frame).into_iter())?;
            event(out, *time, &bytes)?;
            (shown, drawn_at) = (frame, Some(*time));
        }
        if let Some(last) = times.last() {
            event(out, last + LAST, b"\x1b[0m\x1b[?25h\r\n")?;
        }
        out.flush()
    }

    /// When each moment comes in the film, in seconds.
    fn times(&self, walk: &mut Walk) -> io::Result<Vec<f64>> {
        let (mut times, mut before, mut time) = (Vec::new(), None, 0.0);
        while let Some(at) = walk.step()? {
            let gap = before.map_or(Duration::ZERO, |before| at.saturating_sub(before));
            time += (gap.as_secs_f64() / self.speed).min(self.idle_limit);
            times.push(time);
            before = Some(at);
        }
        Ok(times)
    }
}

fn event(out: &mut dyn Write, time: f64, bytes: &[u8]) -> io::Result<()> {
    let time = (time * 1e6).round() / 1e6;
    writeln!(out, "{}", Value::from(vec![json!(time), json!("o"), json!(String::from_utf8_lossy(bytes))]))
}

/// One frame: a line about the session, the drawn observation, the scores.
fn draw(view: &View, at: Duration, theme: &Theme, area: Rect) -> Buffer {
    let mut buffer = Buffer::empty(area);
    let row = |y: u16| Rect { y, height: 1, ..area };
    head(view, at, theme).render(row(0), &mut buffer);
    foot(view, theme).render(row(area.height - 1), &mut buffer);
    let scene_area = Rect { y: 1, height: area.height.saturating_sub(2), ..area };
    if let Some(seen) = &view.seen {
        let others: Vec<(String, &Value)> =
            seen.others.iter().map(|(player, data)| (player.clone(), data)).collect();
        let folds = Folds::default();
        let input = SceneInput {
            game: view.game.as_deref(),
            mine: false,
            others: &others,
            previous: view.previous.as_ref(),
            ..SceneInput::new(&seen.player, &seen.data, &view.trail, &folds)
        };
        render::draw_scene(&render::scene(&input), theme, 0, &mut buffer, scene_area);
    }
    if theme.ascii {
        asciify(&mut buffer, area);
    }
    buffer
}

fn head(view: &View, at: Duration, theme: &Theme) -> Line<'static> {
    let most = view.session.as_ref().and_then(|session| session.max_ticks);
    let tick = most.map_or_else(|| view.tick.to_string(), |most| format!("{}/{most}", view.tick));
    Line::from(vec![
        Span::styled(
            format!(" {} ", word(view.game.as_deref().unwrap_or("session"), 28)),
            theme.style(Role::Strong),
        ),
        Span::styled(format!("· {}   ", word(&view.session_id, 24)), theme.style(Role::Dim)),
        Span::raw(format!("tick {tick}   {}", clock(at))),
    ])
}

fn foot(view: &View, theme: &Theme) -> Line<'static> {
    let mut spans = vec![Span::raw(format!(" {}", scores(&view.scores)))];
    if let Some(outcome) = &view.outcome {
        let reason = outcome.reason.as_deref().unwrap_or("completed").replace('_', " ");
        let words = format!("   the match is over: {}", text::excerpt(&text::clean(&reason), 40));
        spans.push(Span::styled(words, theme.style(Role::Strong)));
    }
    Line::from(spans)
}
