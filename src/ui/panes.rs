//! The panes' views, one file each, and the small things they share.

pub mod charts;
pub mod credits;
pub mod fields;
pub mod games;
pub mod live;
pub mod play;
pub mod recorded;
pub mod sessions;
pub mod tree;
pub mod wall;

use jiff::Timestamp;
use ratatui::Frame;
use ratatui::layout::Rect;
use ratatui::text::{Line, Span};
use ratatui::widgets::Paragraph;

use crate::api::Error as ApiError;
use crate::app::App;
use crate::app::answers::is_connection;
use crate::app::list::ListState;
use crate::app::screen::{Drawn, Hit};
use crate::text;

use super::screen::cells;
use super::theme::{Role, Theme};

/// A time of the day, where the user is.
pub fn clock(app: &App, at: Timestamp) -> String {
    at.to_zoned_datetime(app.boot.zone.clone()).strftime("%H:%M:%S").to_string()
}

/// How long ago something was; the future is `just now` (clocks differ).
pub fn ago(now: Timestamp, at: Timestamp) -> String {
    text::ago(u64::try_from(now.as_second() - at.as_second()).unwrap_or(0))
}

/// The line above a list: its filter, and how many of how many are shown.
pub fn filter_line(list: &ListState, all: usize, theme: &Theme, columns: u16) -> Line<'static> {
    let count = format!("{} of {all}", list.shown().len());
    let room = usize::from(columns).saturating_sub(text::width(&count) + 5);
    let words = text::excerpt(&list.filter().text(), room).into_owned();
    let (shown, style) = match (words.is_empty(), list.typing()) {
        (true, false) => ("filter…".to_owned(), theme.style(Role::Dim)),
        _ => (words, theme.style(Role::Text)),
    };
    let cursor = if list.typing() { theme.style(Role::Selected) } else { theme.style(Role::Text) };
    Line::from(vec![
        Span::styled(" / ", theme.style(Role::Key)),
        Span::styled(text::fit(&shown, room.saturating_sub(1)).into_owned(), style),
        Span::styled(" ", cursor),
        Span::raw(
            " ".repeat(room.saturating_sub(text::width(&text::fit(&shown, room.saturating_sub(1))) + 1)),
        ),
        Span::styled(count, theme.style(Role::Dim)),
    ])
}

/// Draws the visible rows of a list, one line each, and notes where they lie.
pub fn rows(
    list: &ListState,
    theme: &Theme,
    frame: &mut Frame<'_>,
    area: Rect,
    drawn: &mut Drawn,
    row: impl Fn(usize) -> Line<'static>,
) {
    drawn.list_rows = usize::from(area.height);
    let visible = list.shown().iter().enumerate().skip(list.top()).take(usize::from(area.height));
    for (y, (nth, &item)) in (area.y..).zip(visible) {
        let spot = Rect { y, height: 1, ..area };
        let chosen = nth == list.row();
        let mut line = row(item);
        line.spans.insert(0, Span::raw(if chosen { "▸ " } else { "  " }));
        frame.render_widget(line, spot);
        if chosen {
            frame.buffer_mut().set_style(spot, theme.style(Role::Selected));
        }
        drawn.hits.push((cells(spot), Hit::Row(nth)));
    }
}

/// Draws lines from an offset on, and notes how many there are.
pub fn scrolled(
    lines: Vec<Line<'static>>,
    scroll: usize,
    frame: &mut Frame<'_>,
    area: Rect,
    drawn: &mut Drawn,
) {
    drawn.text_rows = usize::from(area.height);
    drawn.text_lines = lines.len();
    let from = scroll.min(drawn.max_scroll());
    let visible: Vec<Line<'_>> = lines.into_iter().skip(from).take(usize::from(area.height)).collect();
    frame.render_widget(Paragraph::new(visible), area);
}

/// What is shown in the place of data: loading, why it failed, or that there is none.
pub fn placeholder(lines: &[(Role, String)], theme: &Theme, frame: &mut Frame<'_>, area: Rect) {
    let columns = usize::from(area.width.saturating_sub(4));
    let rows: Vec<Line<'static>> = lines
        .iter()
        .flat_map(|(role, words)| {
            let style = theme.style(*role);
            text::wrap(words, columns).into_iter().map(move |row| Line::styled(format!("  {row}"), style))
        })
        .collect();
    let top = area.height.saturating_sub(rows.len() as u16) / 3;
    frame.render_widget(Paragraph::new(rows), Rect { y: area.y + top, height: area.height - top, ..area });
}

/// What happened, what it cost, and what to do about it.
pub fn failure(app: &App, why: &ApiError) -> Vec<(Role, String)> {
    let mut lines = vec![
        (
            Role::Bad,
            if is_connection(why) {
                "✗ The platform does not answer.".into()
            } else {
                format!("✗ {why}")
            },
        ),
        (Role::Text, String::new()),
        (Role::Text, text::excerpt(&app.boot.host, 70).into_owned()),
    ];
    let causes = causes(why);
    if !causes.is_empty() {
        lines.push((Role::Text, causes));
    }
    if let Some(advice) = why.advice() {
        lines.push((Role::Info, advice.to_owned()));
    }
    lines.push((Role::Text, String::new()));
    if let crate::app::Health::Down { tries, retry_at } = app.health {
        let left = retry_at.saturating_sub(app.now.since_start).as_secs();
        let tries = if tries == 1 { "1 try".to_owned() } else { format!("{tries} tries") };
        lines.push((Role::Warn, format!("{tries}, next in {left} s; R tries now")));
    } else {
        lines.push((Role::Dim, "R tries again".into()));
    }
    lines.push((Role::Dim, "Nothing was sent that could bill. `gert demo` works without a network.".into()));
    lines
}

/// The causes of an error, outermost first.
fn causes(why: &ApiError) -> String {
    let mut words = Vec::new();
    let mut source = std::error::Error::source(why);
    while let Some(cause) = source {
        words.push(text::clean(&cause.to_string()).into_owned());
        source = cause.source();
    }
    words.join(": ")
}
