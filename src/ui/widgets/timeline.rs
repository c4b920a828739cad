//! The way through a session as a bar: what is worth going to, where one is, and how it goes on.
//!
//! ```text
//!  ├──────▲────────▼──⚑────────✗─────●─────────────┤ live
//!  ◂ tick 167   3:12 of 4:05   78 %   50 behind, l live   ▼ 160 p2 −30.00
//! ```

use std::time::Duration;

use ratatui::Frame;
use ratatui::layout::{Constraint, Layout, Rect};
use ratatui::text::{Line, Span};

use crate::app::live::Live;
use crate::app::screen::{Drawn, Hit};
use crate::app::timeline::{Pace, Timeline};
use crate::tape::Marker;
use crate::text;
use crate::ui::marks;
use crate::ui::screen::cells;
use crate::ui::theme::{Role, Theme};

/// Draws the bar, and below it what it says where there is room.
pub fn draw(
    time: &Timeline,
    live: &Live,
    theme: &Theme,
    frame: &mut Frame<'_>,
    area: Rect,
    drawn: &mut Drawn,
) {
    let [line, below] = Layout::vertical([Constraint::Length(1), Constraint::Min(0)]).areas(area);
    bar(time, live, theme, frame, line, drawn);
    if below.height > 0 {
        frame.render_widget(words(time, theme, usize::from(below.width)), Rect { height: 1, ..below });
    }
}

fn bar(time: &Timeline, live: &Live, theme: &Theme, frame: &mut Frame<'_>, area: Rect, drawn: &mut Drawn) {
    let (word, role) = head_word(time, live);
    let columns = usize::from(area.width).saturating_sub(text::width(&word) + 4);
    if columns < 8 {
        return;
    }
    let length = length(time, live);
    let at = place(time.nth().unwrap_or(0), length, columns);
    let filled = time.last().map_or(0, |last| place(last, length, columns));
    let mut spans = vec![Span::raw(" "), Span::styled("├", theme.style(Role::Border))];
    let marks = marked(time, length, columns);
    for (column, mark) in marks.iter().enumerate() {
        let span = if column == at && time.last().is_some() {
            Span::styled("●", theme.style(Role::Accent))
        } else if let Some(marker) = mark {
            let (glyph, plain, role) = marks::glyph(marker.kind);
            Span::styled(if theme.ascii { plain } else { glyph }, theme.style(role))
        } else if column < at {
            Span::styled("━", theme.style(Role::Accent))
        } else if column <= filled {
            Span::styled("─", theme.style(Role::Text))
        } else {
            Span::styled("·", theme.style(Role::Border))
        };
        spans.push(span);
        if column <= filled && time.last().is_some() {
            let spot = Rect { x: area.x + 2 + column as u16, width: 1, height: 1, ..area };
            drawn.hits.push((
                cells(spot),
                Hit::Seek(moment(column, length, columns).min(time.last().unwrap_or(0))),
            ));
        }
    }
    spans.push(Span::styled("┤", theme.style(Role::Border)));
    spans.push(Span::styled(format!(" {word}"), theme.style(role)));
    frame.render_widget(Line::from(spans), area);
}

/// What stands at the end of the bar.
fn head_word(time: &Timeline, live: &Live) -> (String, Role) {
    if time.is_recorded {
        return (state(time).to_owned(), Role::Info);
    }
    match (time.looks_back(), live.is_live()) {
        (true, _) => (state(time).to_owned(), Role::Info),
        (false, true) => ("live".to_owned(), Role::Good),
        (false, false) => ("end".to_owned(), Role::Dim),
    }
}

fn state(time: &Timeline) -> &'static str {
    if time.playing { "▶ play" } else { "‖ still" }
}

/// Moments from one end of the bar to the other: those there will be, while it grows, if that is known.
fn length(time: &Timeline, live: &Live) -> usize {
    let moments = time.summary.moments.max(1);
    let most = live.view.session.as_ref().and_then(|session| session.max_ticks);
    let most = most.filter(|_| live.is_live()).and_then(|most| usize::try_from(most).ok()).unwrap_or(0);
    // A recording that began late has fewer moments than ticks.
    let missed = usize::try_from(time.summary.tick).unwrap_or(0).saturating_sub(moments);
    moments.max(most.saturating_sub(missed)).min(10_000_000)
}

fn place(nth: usize, length: usize, columns: usize) -> usize {
    (nth * (columns - 1) / length.saturating_sub(1).max(1)).min(columns - 1)
}

/// The moment a column stands for.
fn moment(column: usize, length: usize, columns: usize) -> usize {
    (column * length.saturating_sub(1)).div_ceil(columns - 1)
}

/// The marker that is drawn in each column: of several the gravest, which sorts last.
fn marked(time: &Timeline, length: usize, columns: usize) -> Vec<Option<&Marker>> {
    let mut marks: Vec<Option<&Marker>> = vec![None; columns];
    for marker in time.summary.markers.iter() {
        let slot = &mut marks[place(marker.nth, length, columns)];
        if slot.is_none_or(|other| other.kind <= marker.kind) {
            *slot = Some(marker);
        }
    }
    marks
}

/// Where one is, in words; and the marker that is there or nearest.
fn words(time: &Timeline, theme: &Theme, columns: usize) -> Line<'static> {
    if let Some(why) = &time.failed {
        let why =
            text::excerpt(&format!("not recorded any more: {why}"), columns.saturating_sub(4)).into_owned();
        return Line::styled(format!(" ✗ {why}"), theme.style(Role::Bad));
    }
    let dim = theme.style(Role::Dim);
    if time.last().is_none() {
        return Line::styled(" nothing is recorded yet", dim);
    }
    let whole = clock(time.summary.length);
    let mut spans = vec![Span::raw(" ")];
    match &time.past {
        None => {
            let moments = if time.summary.moments == 1 { "moment" } else { "moments" };
            spans.push(Span::styled(format!("{} {moments}, {whole}", time.summary.moments), dim));
        }
        Some(past) => {
            let mark = if past.nth == 0 { "|◂" } else { "◂" };
            spans.push(Span::styled(
                format!("{mark} tick {}", past.live.view.tick),
                theme.style(Role::Strong),
            ));
            spans.push(Span::styled(
                format!("   {} of {whole}   {:>3.0} %", clock(past.at), time.percent()),
                dim,
            ));
            if !time.is_recorded {
                let behind = format!("   {} behind, l live", time.behind());
                spans.push(Span::styled(behind, theme.style(Role::Warn)));
            }
        }
    }
    if time.pace != Pace::default() || time.playing {
        let waits = if time.pace.whole_waits { ", whole waits" } else { "" };
        spans.push(Span::styled(format!("   {}x{waits}", text::decimal(time.pace.factor(), 2)), dim));
    }
    let used: usize = spans.iter().map(Span::width).sum();
    if let Some(marker) = time.nearest() {
        let (glyph, plain, role) = marks::glyph(marker.kind);
        let glyph = if theme.ascii { plain } else { glyph };
        let room = columns.saturating_sub(used + 6);
        let label = if marker.text.is_empty() { "bookmark" } else { &marker.text };
        if room > 12 {
            spans.push(Span::styled(format!("   {glyph} "), theme.style(role)));
            let label = text::excerpt(&format!("{} {label}", marker.tick), room).into_owned();
            let here = time.nth() == Some(marker.nth);
            spans.push(Span::styled(label, theme.style(if here { Role::Strong } else { Role::Dim })));
        }
    }
    Line::from(spans)
}

/// Minutes and seconds, with hours if there are any.
fn clock(time: Duration) -> String {
    let secs = time.as_secs();
    match secs / 3600 {
        0 => format!("{}:{:02}", secs / 60, secs % 60),
        hours => format!("{hours}:{:02}:{:02}", secs / 60 % 60, secs % 60),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_moment_has_a_column_and_a_click_on_it_leads_near() {
        for (length, columns) in [(1, 8), (7, 80), (600, 72), (100_000, 150), (9, 9)] {
            for nth in [0, length / 3, length - 1] {
                let column = place(nth, length, columns);
                assert!(column < columns);
                let back = moment(column, length, columns);
                assert!(
                    back.abs_diff(nth) <= length / (columns - 1) + 1,
                    "{nth} of {length} in {columns}: {back}"
                );
            }
            assert_eq!(place(length - 1, length, columns), if length == 1 { 0 } else { columns - 1 });
        }
    }

    #[test]
    fn times_are_minutes_and_seconds() {
        assert_eq!(clock(Duration::from_secs(65)), "1:05");
        assert_eq!(clock(Duration::from_secs(3_700)), "1:01:40");
    }
}
