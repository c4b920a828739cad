//! The wall: several sessions drawn small, each with its tick, who leads, and one word if something is wrong.

use ratatui::Frame;
use ratatui::layout::Rect;
use ratatui::text::{Line, Span};

use crate::app::App;
use crate::app::live::{Link, Live};
use crate::app::panes::sessions::Watching;
use crate::app::screen::{Drawn, Hit};
use crate::app::wall::{Grid, Wall};
use crate::app::watching::Sign;
use crate::text;
use crate::ui::screen::{cells, vertical};
use crate::ui::theme::{Role, Theme, seat_number};

use super::live::{self, View};

/// The least a tile needs.
const LEAST: (u16, u16) = (26, 6);
/// How many columns are as long as a row is high, in a tile that looks well.
const SHAPE: f64 = 3.2;

/// The line over the wall.
pub fn title(app: &App, theme: &Theme, frame: &mut Frame<'_>, area: Rect) {
    let Some(wall) = &app.sessions.wall else { return };
    let live = wall.tiles.iter().filter(|tile| tile.live.is_live()).count();
    let page = app.screen().wall.page(wall.at, wall.tiles.len());
    let mut spans = vec![
        Span::styled(" ‹ Sessions   ", theme.style(Role::Dim)),
        Span::styled("wall", theme.style(Role::Strong)),
        Span::raw(format!("   {live} of {} live   ", wall.tiles.len())),
    ];
    if page.len() < wall.tiles.len() {
        let words = format!("tiles {}-{} on screen", page.start + 1, page.end);
        spans.push(Span::styled(words, theme.style(Role::Dim)));
    }
    frame.render_widget(Line::from(spans), area);
}

/// Draws the tiles.
pub fn draw(app: &App, wall: &Wall, theme: &Theme, frame: &mut Frame<'_>, area: Rect, drawn: &mut Drawn) {
    let grid = grid(wall.tiles.len(), area.width, area.height);
    drawn.wall = grid;
    let page = grid.page(wall.at, wall.tiles.len());
    let first = page.start;
    for nth in page {
        let spot = spot(grid, nth - first, area);
        let inner = Rect { width: spot.width.saturating_sub(1), ..spot };
        drawn.hits.push((cells(inner), Hit::Tile(nth)));
        tile(app, &wall.tiles[nth], nth == wall.at, theme, frame, inner);
        if spot.right() < area.right() {
            vertical(theme, frame, Rect { x: spot.right() - 1, width: 1, ..spot });
        }
    }
}

/// How many tiles stand beside and above each other: all of them if they fit, else as many as fit.
pub fn grid(tiles: usize, width: u16, height: u16) -> Grid {
    let most = (usize::from(width / LEAST.0).max(1), usize::from(height / LEAST.1).max(1));
    let fits = |columns: &usize| tiles.div_ceil(*columns) <= most.1;
    let strain = |columns: usize| {
        let rows = tiles.div_ceil(columns).max(1);
        let shape = (f64::from(width) / columns as f64) / (f64::from(height) / rows as f64);
        // Free places cost a little.
        (shape / SHAPE).ln().abs() + (columns * rows - tiles.min(columns * rows)) as f64 * 0.15
    };
    let columns =
        (1..=most.0.min(tiles.max(1))).filter(fits).min_by(|a, b| strain(*a).total_cmp(&strain(*b)));
    match columns {
        Some(columns) => Grid { columns, rows: tiles.div_ceil(columns).max(1) },
        None => Grid { columns: most.0, rows: most.1 },
    }
}

/// Where a tile of the page lies. What does not divide goes to the last ones.
fn spot(grid: Grid, nth: usize, area: Rect) -> Rect {
    let cut = |length: u16, parts: usize, at: usize| (usize::from(length) * at / parts.max(1)) as u16;
    let (column, row) = (nth % grid.columns.max(1), nth / grid.columns.max(1));
    let (x, y) = (cut(area.width, grid.columns, column), cut(area.height, grid.rows, row));
    Rect {
        x: area.x + x,
        y: area.y + y,
        width: cut(area.width, grid.columns, column + 1) - x,
        height: cut(area.height, grid.rows, row + 1) - y,
    }
}

fn tile(app: &App, watching: &Watching, chosen: bool, theme: &Theme, frame: &mut Frame<'_>, area: Rect) {
    if area.height < 3 {
        return;
    }
    let live = &watching.live;
    let columns = usize::from(area.width);
    let head = Rect { height: 1, ..area };
    frame.render_widget(heading(live, chosen, columns, theme), head);
    if chosen {
        frame.buffer_mut().set_style(head, theme.style(Role::Selected));
    }
    let state = Rect { y: area.y + 1, height: 1, ..area };
    frame.render_widget(Line::from(words(app, watching, columns, theme)), state);
    let body = Rect { y: area.y + 2, height: area.height - 2, ..area };
    let view = View {
        live,
        seat: watching.seat,
        mine: false,
        raw: false,
        scroll: 0,
        cursor: None,
        fields: &app.fields,
    };
    live::scene(&view, theme, frame, body, &mut Drawn::default());
}

/// The game, and how far it is.
fn heading(live: &Live, chosen: bool, columns: usize, theme: &Theme) -> Line<'static> {
    let most = live.view.session.as_ref().and_then(|session| session.max_ticks);
    let tick = most.map_or_else(|| live.view.tick.to_string(), |most| format!("{}/{most}", live.view.tick));
    let room = columns.saturating_sub(text::width(&tick) + 4);
    let game = live.view.game.as_deref().unwrap_or("session");
    let name = text::excerpt(&format!("{game} · {}", live.view.session_id), room).into_owned();
    Line::from(vec![
        Span::raw(if chosen { "▸ " } else { "  " }),
        Span::styled(text::pad(&name, room), theme.style(Role::Strong)),
        Span::styled(format!(" {tick} "), theme.style(Role::Dim)),
    ])
}

/// Who leads or won, and what is wrong.
fn words(app: &App, watching: &Watching, columns: usize, theme: &Theme) -> Vec<Span<'static>> {
    let live = &watching.live;
    let (role, state) = match (&live.view.outcome, watching.signs.now(app.now.since_start, live)) {
        (Some(_), _) => (Role::Strong, "■ ended".to_owned()),
        (None, Some(sign)) => sign_words(&sign),
        (None, None) if live.link == Link::Open => (Role::Good, "● live".to_owned()),
        (None, None) => (Role::Info, "◷ connecting".to_owned()),
    };
    let mut spans = vec![Span::raw("  "), Span::styled(state, theme.style(role))];
    let used: usize = spans.iter().map(Span::width).sum();
    let Some((player, score)) = leader(live) else { return spans };
    let verb = if live.view.outcome.is_some() { "won" } else { "leads" };
    let name = text::excerpt(&player, 8).into_owned();
    let number = seat_number(&player).unwrap_or(0);
    let glyph = theme.seat_glyph(number);
    let score = text::decimal(score, 2);
    let wide = text::width(&name) + text::width(&score) + verb.len() + 8;
    if used + wide <= columns {
        spans.push(Span::styled(format!("   {glyph} "), theme.seat(number)));
        spans.push(Span::raw(format!("{name} {verb} {score}")));
    }
    spans
}

/// What is wrong, in one word or two.
pub fn sign_words(sign: &Sign) -> (Role, String) {
    match sign {
        Sign::Lost(secs) => (Role::Warn, format!("! link lost, again in {secs} s")),
        Sign::Closed => (Role::Bad, "! closed".to_owned()),
        Sign::Stalled(silent) => (Role::Warn, format!("◷ stalled {}", live::since(silent.as_secs()))),
        Sign::Slow(player) => (Role::Warn, format!("◷ slow turn {player}")),
        Sign::Rejected(player) => (Role::Bad, format!("! rejected {player}")),
        Sign::Fell(points) => (Role::Warn, format!("▼ score −{}", text::decimal(*points, 2))),
        Sign::Failed(player) => (Role::Bad, format!("✗ failed {player}")),
    }
}

/// Who has the best score, if one is better than the others; of an ended match who came first.
fn leader(live: &Live) -> Option<(String, f64)> {
    if let Some(outcome) = &live.view.outcome {
        let mut first = outcome.ranks.iter().filter(|(_, rank)| **rank == 1);
        if let (Some((player, _)), None) = (first.next(), first.next()) {
            return Some((player.clone(), outcome.scores.get(player).copied().unwrap_or(0.0)));
        }
    }
    let mut scores: Vec<(&String, f64)> =
        live.view.scores.iter().map(|(player, score)| (player, *score)).collect();
    scores.sort_by(|a, b| b.1.total_cmp(&a.1));
    match scores.as_slice() {
        [(player, score)] => Some(((*player).clone(), *score)),
        [(player, best), (_, next), ..] if best > next => Some(((*player).clone(), *best)),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn up_to_twelve_tiles_fit_both_usual_screens() {
        for (width, height) in [(80, 18), (160, 44)] {
            for tiles in 1..=12 {
                let grid = grid(tiles, width, height);
                let fits = grid.columns * grid.rows;
                assert!(fits >= tiles.min(9), "{tiles} in {width}x{height}: {grid:?}");
                assert!(width / grid.columns as u16 >= LEAST.0 && height / grid.rows as u16 >= LEAST.1);
            }
        }
        assert_eq!(grid(6, 160, 44), Grid { columns: 3, rows: 2 });
        assert_eq!(grid(1, 20, 3), Grid { columns: 1, rows: 1 });
        assert_eq!(grid(0, 80, 24), Grid { columns: 1, rows: 1 });
    }

    #[test]
    fn tiles_cover_the_screen_and_do_not_overlap() {
        let area = Rect::new(0, 3, 79, 19);
        let grid = Grid { columns: 3, rows: 2 };
        let spots: Vec<Rect> = (0..6).map(|nth| spot(grid, nth, area)).collect();
        assert_eq!(spots.iter().map(|spot| spot.area()).sum::<u32>(), area.area());
        for (nth, one) in spots.iter().enumerate() {
            assert!(spots[nth + 1..].iter().all(|other| !one.intersects(*other)));
        }
    }
}
