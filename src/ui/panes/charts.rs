//! Scores, rewards and latencies of each seat over a session, with the values under the cursor.

use std::borrow::Cow;

use ratatui::Frame;
use ratatui::layout::Rect;

use crate::app::fields::Charts;
use crate::app::screen::Drawn;
use crate::tape::{Chart, Curve, Span};
use crate::text;
use crate::ui::render::{
    Body, Column, Part, Rows, Scene, Series, SeriesLine, SeriesMark, Slot, Table, Words, draw_scene,
};
use crate::ui::theme::{Role, Theme, seat_glyph, seat_number};

use super::placeholder;

/// The values of a curve, by step.
type Pick = fn(&Curve) -> &Vec<Option<Span>>;

const KINDS: [(&str, Pick); 3] = [
    ("score", |curve| &curve.scores),
    ("reward", |curve| &curve.rewards),
    ("latency, ms", |curve| &curve.latencies),
];

/// Draws the charts.
pub fn draw(charts: &Charts, theme: &Theme, frame: &mut Frame<'_>, area: Rect, drawn: &mut Drawn) {
    let Some(chart) = charts.chart.as_ref().filter(|chart| !chart.ticks.is_empty()) else {
        let words = "There are no scores yet. They come from the recording of this session.";
        return placeholder(&[(Role::Dim, words.to_owned())], theme, frame, area);
    };
    let scene = scene(charts, chart);
    let laid = draw_scene(&scene, theme, 0, frame.buffer_mut(), area);
    drawn.text_rows = usize::from(laid.page);
    drawn.text_lines = usize::from(laid.page);
}

fn scene<'a>(charts: &Charts, chart: &'a Chart) -> Scene<'a> {
    let at = charts.at();
    let mut scene = Scene::default();
    for (name, pick) in KINDS {
        let lines: Vec<SeriesLine<'a>> =
            chart.curves.iter().enumerate().map(|(nth, curve)| line(chart, curve, nth, pick)).collect();
        if lines.iter().all(|line| line.points.is_empty()) {
            continue;
        }
        let marks = chart.curves.iter().filter_map(|curve| mark(chart, curve, at, pick)).collect();
        scene.push(
            Slot::Main,
            0,
            vec![Part::new(name, Role::Heading)],
            Body::Series(Series { lines, marks }),
        );
    }
    scene.push(Slot::Side, 0, title(charts, chart), Body::Table(values(chart, at)));
    scene
}

fn line<'a>(chart: &Chart, curve: &'a Curve, nth: usize, pick: Pick) -> SeriesLine<'a> {
    let seat = seat_number(&curve.player).unwrap_or(nth as u8 % 8);
    let steps = chart.ticks.iter().zip(pick(curve));
    let points = steps.filter_map(|(tick, span)| Some((*tick as f64, (*span)?.last))).collect();
    SeriesLine { name: Cow::Borrowed(curve.player.as_str()), role: Role::Seat(seat), points }
}

fn mark(chart: &Chart, curve: &Curve, at: usize, pick: Pick) -> Option<SeriesMark> {
    let span = pick(curve).get(at).copied().flatten()?;
    Some(SeriesMark { x: *chart.ticks.get(at)? as f64, y: span.last, glyph: '◉', role: Role::Key })
}

fn title<'a>(charts: &Charts, chart: &Chart) -> Words<'a> {
    let tick = charts.tick().map_or("–".to_owned(), |tick| tick.to_string());
    let part = if charts.is_whole() {
        "all of it".to_owned()
    } else {
        format!("moments {} to {}", chart.from, chart.to)
    };
    vec![Part::new(format!("tick {tick}"), Role::Heading), Part::new(format!("  {part}"), Role::Dim)]
}

/// Everybody's values at a step; where a step holds several, its range.
fn values<'a>(chart: &'a Chart, at: usize) -> Table<'a> {
    let cell = |curve: &Curve, pick: Pick| match pick(curve).get(at).copied().flatten() {
        Some(span) if span.min < span.max => {
            format!(
                "{} ({}…{})",
                text::decimal(span.last, 2),
                text::decimal(span.min, 2),
                text::decimal(span.max, 2)
            )
        }
        Some(span) => text::decimal(span.last, 2),
        None => "–".to_owned(),
    };
    let row = |curve: &'a Curve| -> Words<'a> {
        let name = match seat_number(&curve.player) {
            Some(seat) => Part::new(format!("{} {}", seat_glyph(seat), curve.player), Role::Seat(seat)),
            None => Part::plain(text::excerpt(&curve.player, 12)),
        };
        std::iter::once(name).chain(KINDS.map(|(_, pick)| Part::plain(cell(curve, pick)))).collect()
    };
    let columns =
        vec![Column::left("seat"), Column::right("score"), Column::right("reward"), Column::right("ms")];
    Table { columns, rows: Rows::Ready(chart.curves.iter().map(row).collect()) }
}

#[cfg(test)]
mod tests {
    use ratatui::Terminal;
    use ratatui::backend::TestBackend;

    use super::*;
    use crate::ui::theme::ColorDepth;

    fn span(value: f64) -> Span {
        Span { min: value, max: value, last: value }
    }

    fn shown(charts: &Charts, size: (u16, u16), ascii: bool) -> String {
        let mut terminal = Terminal::new(TestBackend::new(size.0, size.1)).unwrap();
        let theme = Theme::new(ColorDepth::True, ascii);
        terminal.draw(|frame| draw(charts, &theme, frame, frame.area(), &mut Drawn::default())).unwrap();
        terminal.backend().to_string()
    }

    fn charts() -> Charts {
        let curve = |player: &str, by: f64| Curve {
            player: player.to_owned(),
            scores: (0..20).map(|nth| Some(span(by * f64::from(nth)))).collect(),
            rewards: (0..20).map(|nth| Some(span(f64::from(nth % 3)))).collect(),
            latencies: vec![None; 20],
        };
        let curves = vec![curve("p0", 1.0), curve("p1", -0.5)];
        Charts::of(Chart { from: 0, to: 19, ticks: (0..20).collect(), curves })
    }

    #[test]
    fn charts_show_curves_and_the_values_under_the_cursor() {
        insta::assert_snapshot!(shown(&charts(), (100, 24), false));
    }

    #[test]
    fn charts_survive_every_size_and_are_ascii_where_asked() {
        for size in [(1, 1), (5, 3), (40, 8), (200, 60)] {
            let text = shown(&charts(), size, true);
            assert!(text.is_ascii(), "{text}");
            shown(&Charts::default(), size, false);
        }
    }
}
