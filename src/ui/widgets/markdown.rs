//! Markdown as lines: the rules of a game, the text of a task.

use std::cell::RefCell;

use pulldown_cmark::{Event, HeadingLevel, Options, Parser, Tag, TagEnd};
use ratatui::style::{Modifier, Style};
use ratatui::text::{Line, Span};

use crate::text;
use crate::ui::theme::{ColorDepth, Role, Theme};

/// Text beyond this is not read: rules are a few pages.
const MAX_BYTES: usize = 256 * 1024;

/// What was rendered last: the rules on screen are asked for with every frame.
struct Last {
    source: String,
    columns: usize,
    depth: ColorDepth,
    lines: Vec<Line<'static>>,
}

thread_local! {
    static LAST: RefCell<Option<Last>> = const { RefCell::new(None) };
}

/// As `render`, which it asks only for another text, width or theme than the last.
pub fn markdown(source: &str, columns: usize, theme: &Theme) -> Vec<Line<'static>> {
    LAST.with_borrow_mut(|last| {
        let known = last.as_ref().filter(|last| {
            (last.columns, last.depth, last.source.as_str()) == (columns, theme.depth, source)
        });
        if let Some(known) = known {
            return known.lines.clone();
        }
        let lines = render(source, columns, theme);
        let (source, depth) = (source.to_owned(), theme.depth);
        *last = Some(Last { source, columns, depth, lines: lines.clone() });
        lines
    })
}

/// Renders Markdown for a width. Headings are bold, code keeps its line breaks, paragraphs are wrapped; pictures and
/// HTML show as their text.
fn render(source: &str, columns: usize, theme: &Theme) -> Vec<Line<'static>> {
    if columns == 0 {
        return Vec::new();
    }
    let source = text::clean_lines(&source[..source.floor_char_boundary(MAX_BYTES)]);
    let mut page = Page::new(theme, columns);
    for event in Parser::new_ext(&source, Options::ENABLE_TABLES | Options::ENABLE_STRIKETHROUGH) {
        page.take(event);
    }
    page.flush();
    while page.lines.last().is_some_and(|line| line.width() == 0) {
        page.lines.pop();
    }
    page.lines
}

struct Page<'a> {
    theme: &'a Theme,
    columns: usize,
    lines: Vec<Line<'static>>,
    /// The paragraph so far.
    words: Vec<(String, Style)>,
    /// Styles of the open inline marks.
    style: Vec<Style>,
    /// Open lists, with the next number of the ordered ones.
    lists: Vec<Option<u64>>,
    /// Stands before the first line of the item just opened.
    bullet: Option<String>,
    quotes: usize,
    code: bool,
    table: Vec<Vec<String>>,
    in_table: bool,
    /// The last line is a heading: what follows belongs to it.
    under_heading: bool,
}

impl<'a> Page<'a> {
    fn new(theme: &'a Theme, columns: usize) -> Self {
        Self {
            theme,
            columns,
            lines: Vec::new(),
            words: Vec::new(),
            style: Vec::new(),
            lists: Vec::new(),
            bullet: None,
            quotes: 0,
            code: false,
            table: Vec::new(),
            in_table: false,
            under_heading: false,
        }
    }

    fn take(&mut self, event: Event<'_>) {
        match event {
            Event::Start(tag) => self.open(&tag),
            Event::End(tag) => self.close(tag),
            Event::Text(text) if self.code => self.code_lines(&text),
            Event::Text(text) | Event::Html(text) | Event::InlineHtml(text) => self.word(&text, Style::new()),
            Event::Code(text) => self.word(&text, self.theme.style(Role::Info)),
            Event::SoftBreak => self.word(" ", Style::new()),
            Event::HardBreak => self.flush(),
            Event::Rule => {
                self.gap();
                let rule = "─".repeat(self.columns);
                self.lines.push(Line::styled(rule, self.theme.style(Role::Border)));
                self.gap();
            }
            _ => {}
        }
    }

    fn open(&mut self, tag: &Tag<'_>) {
        match tag {
            Tag::Paragraph if self.bullet.is_none() => self.gap(),
            Tag::Heading { level, .. } => {
                self.gap();
                let role = if *level == HeadingLevel::H1 { Role::Title } else { Role::Heading };
                self.style.push(self.theme.style(role));
            }
            Tag::BlockQuote(_) => {
                self.gap();
                self.quotes += 1;
            }
            Tag::CodeBlock(_) => {
                self.flush();
                self.gap();
                self.code = true;
            }
            Tag::List(first) => {
                self.flush();
                if self.lists.is_empty() {
                    self.gap();
                }
                self.lists.push(*first);
            }
            Tag::Item => {
                self.flush();
                self.bullet = Some(match self.lists.last_mut() {
                    Some(Some(number)) => {
                        *number += 1;
                        format!("{}. ", *number - 1)
                    }
                    _ => "• ".to_owned(),
                });
            }
            Tag::Table(_) => {
                self.gap();
                self.in_table = true;
            }
            Tag::TableHead | Tag::TableRow => self.table.push(Vec::new()),
            Tag::TableCell => {
                if let Some(row) = self.table.last_mut() {
                    row.push(String::new());
                }
            }
            Tag::Strong => self.style.push(Style::new().add_modifier(Modifier::BOLD)),
            Tag::Emphasis => self.style.push(Style::new().add_modifier(Modifier::ITALIC)),
            Tag::Strikethrough => self.style.push(Style::new().add_modifier(Modifier::CROSSED_OUT)),
            Tag::Link { .. } => self.style.push(self.theme.style(Role::Accent)),
            _ => {}
        }
    }

    fn close(&mut self, tag: TagEnd) {
        match tag {
            TagEnd::Paragraph => self.flush(),
            TagEnd::Heading(_) => {
                self.flush();
                self.style.pop();
                self.under_heading = true;
            }
            TagEnd::BlockQuote(_) => {
                self.flush();
                self.quotes = self.quotes.saturating_sub(1);
            }
            TagEnd::CodeBlock => {
                self.code = false;
                self.gap();
            }
            TagEnd::Item => {
                self.flush();
                self.bullet = None;
            }
            TagEnd::List(_) => {
                self.lists.pop();
            }
            TagEnd::Table => self.end_table(),
            TagEnd::Strong | TagEnd::Emphasis | TagEnd::Strikethrough | TagEnd::Link => {
                self.style.pop();
            }
            _ => {}
        }
    }

    fn word(&mut self, text: &str, style: Style) {
        if self.in_table {
            if let Some(cell) = self.table.last_mut().and_then(|row| row.last_mut()) {
                cell.push_str(text);
            }
            return;
        }
        let around = self.style.iter().fold(Style::new(), |all, style| all.patch(*style));
        self.words.push((text.replace('\n', " "), around.patch(style)));
    }

    /// One empty line, unless there is one already or a heading stands above.
    fn gap(&mut self) {
        self.flush();
        let under_heading = std::mem::take(&mut self.under_heading);
        if !under_heading && self.lines.last().is_some_and(|line| line.width() > 0) {
            self.lines.push(Line::default());
        }
    }

    fn code_lines(&mut self, code: &str) {
        let style = self.theme.style(Role::Info);
        for line in code.lines() {
            let line = text::fit(line, self.columns.saturating_sub(2));
            let indent = " ".repeat(self.columns.min(2));
            self.lines.push(Line::from(vec![Span::raw(indent), Span::styled(line.into_owned(), style)]));
        }
    }

    /// What stands before each line of the open paragraph, and before its first.
    fn indents(&mut self) -> (String, String) {
        let quote = "│ ".repeat(self.quotes);
        let lists = self.lists.len();
        let rest = format!("{quote}{}", "  ".repeat(lists));
        match self.bullet.take() {
            Some(bullet) => (format!("{quote}{}{bullet}", "  ".repeat(lists.saturating_sub(1))), rest),
            None => (rest.clone(), rest),
        }
    }

    fn flush(&mut self) {
        if self.words.is_empty() {
            return;
        }
        let words = std::mem::take(&mut self.words);
        let (first, rest) = self.indents();
        let indent = text::width(&rest).max(text::width(&first)).min(self.columns / 2);
        let quiet = self.theme.style(Role::Dim);
        let mut lead = Span::styled(text::pad(&first, indent), quiet);
        let mut line = vec![lead.clone()];
        let mut used = indent;
        for (text, style) in words {
            for word in text.split_inclusive(' ') {
                let bare = word.trim_end_matches(' ');
                let fits = used + text::width(bare) <= self.columns;
                if !fits && used > indent {
                    self.lines.push(Line::from(std::mem::take(&mut line)));
                    lead = Span::styled(text::pad(&rest, indent), quiet);
                    line.push(lead.clone());
                    used = indent;
                }
                let word = if used == indent { word.trim_start_matches(' ') } else { word };
                let word = text::fit(
                    if text::width(word) + used > self.columns { bare } else { word },
                    self.columns - used,
                );
                used += text::width(&word);
                line.push(Span::styled(word.into_owned(), style));
            }
        }
        self.lines.push(Line::from(line));
    }

    fn end_table(&mut self) {
        self.in_table = false;
        let rows = std::mem::take(&mut self.table);
        let count = rows.iter().map(Vec::len).max().unwrap_or(0);
        let wanted: Vec<usize> = (0..count)
            .map(|nth| {
                rows.iter().filter_map(|row| row.get(nth)).map(|cell| text::width(cell)).max().unwrap_or(0)
            })
            .collect();
        let widths = super::column_widths(&wanted, self.columns);
        for (nth, row) in rows.into_iter().enumerate() {
            let style = if nth == 0 { self.theme.style(Role::Heading) } else { Style::new() };
            let cells: Vec<_> = row.into_iter().map(|cell| (cell.into(), style)).collect();
            self.lines.push(super::table_line(&cells, &[], &widths));
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::ui::theme::ColorDepth;

    const THEME: Theme = Theme::new(ColorDepth::Ansi16, false);

    fn text_of(source: &str, columns: usize) -> String {
        let lines: Vec<String> = markdown(source, columns, &THEME)
            .iter()
            .map(|line| line.to_string().trim_end().to_owned())
            .collect();
        lines.join("\n")
    }

    #[test]
    fn rules_read_as_a_page() {
        let source = "# Market Simulator\nTwo stocks, **one** order book each. The `house` quotes around a value.\n\n\
            ## Actions\n- `buy` at most 200\n  and no more\n- sell\n  1. now\n  2. later\n\n```json\n{\"action\": \"buy\"}\n```\n\
            > House rules.\n\n| limit | value |\n|---|---|\n| position | ±200 |\n";
        insta::assert_snapshot!(text_of(source, 40));
    }

    #[test]
    fn marks_become_styles() {
        let lines = markdown("a **b** `c`", 20, &THEME);
        let style =
            |word: &str| lines[0].spans.iter().find(|span| span.content.trim() == word).unwrap().style;
        assert!(style("b").add_modifier.contains(Modifier::BOLD));
        assert_eq!(style("c"), THEME.style(Role::Info));
    }

    #[test]
    fn another_text_width_or_theme_is_rendered_anew() {
        let plain = Theme::new(ColorDepth::None, false);
        for _ in 0..2 {
            assert_eq!(text_of("one two", 20), "one two");
            assert_eq!(text_of("one two", 4), "one\ntwo");
            assert_eq!(text_of("three", 20), "three");
            assert_ne!(markdown("`c`", 20, &THEME), markdown("`c`", 20, &plain));
        }
    }

    proptest! {
        #[test]
        fn any_text_fits_the_width(source in "([#*`>|\\-1.\\[\\]\n ]|\\PC){0,80}", columns in 0_usize..40) {
            for line in markdown(&source, columns, &THEME) {
                prop_assert!(line.width() <= columns, "{line:?}");
            }
        }
    }
}
