//! The text editor: the only file in `app` that names the text-area crate.
//!
//! A `TextArea` is state and widget in one, so it lives in the state; the rest of `app` sees an [`Editor`].

use tui_textarea::{CursorMove, Input, Key as AreaKey, TextArea};

use super::key::{Key, KeyCode};

/// An editor of one or several lines. Keeps its text until it is told otherwise.
#[derive(Debug, Clone)]
pub struct Editor {
    area: TextArea<'static>,
    single_line: bool,
}

impl Editor {
    /// An editor of one line: breaks in pasted text become spaces.
    pub fn line(text: &str) -> Self {
        Self::with(text, true)
    }

    /// An editor of several lines.
    pub fn lines(text: &str) -> Self {
        Self::with(text, false)
    }

    fn with(text: &str, single_line: bool) -> Self {
        let mut editor = Self { area: TextArea::default(), single_line };
        editor.insert(text);
        editor
    }

    /// What it holds.
    pub fn text(&self) -> String {
        self.area.lines().join("\n")
    }

    /// Whether it holds nothing.
    pub fn is_empty(&self) -> bool {
        self.area.is_empty()
    }

    /// Replaces what it holds; the cursor goes to the end.
    pub fn set(&mut self, text: &str) {
        *self = Self::with(text, self.single_line);
    }

    /// Inserts text at the cursor, as it is. Nothing in it acts as a key.
    pub fn insert(&mut self, text: &str) {
        let plain: String = text
            .replace("\r\n", "\n")
            .chars()
            .filter_map(|c| match c {
                '\n' | '\r' if self.single_line => Some(' '),
                '\n' | '\r' => Some('\n'),
                '\t' => Some(' '),
                c if c.is_control() => None,
                c => Some(c),
            })
            .collect();
        self.area.insert_str(plain);
    }

    /// Starts a new line, where there may be several.
    pub fn break_line(&mut self) {
        if !self.single_line {
            self.area.insert_newline();
        }
    }

    /// Gives it a key. True if the key changed the text or moved the cursor; Enter, Tab and Esc are never taken.
    pub fn input(&mut self, key: Key) -> bool {
        let code = match key.code {
            KeyCode::Char(c) => AreaKey::Char(c),
            KeyCode::Backspace => AreaKey::Backspace,
            KeyCode::Delete => AreaKey::Delete,
            KeyCode::Left | KeyCode::ShiftLeft => AreaKey::Left,
            KeyCode::Right | KeyCode::ShiftRight => AreaKey::Right,
            KeyCode::Home => AreaKey::Home,
            KeyCode::End => AreaKey::End,
            KeyCode::Up if !self.single_line => AreaKey::Up,
            KeyCode::Down if !self.single_line => AreaKey::Down,
            KeyCode::PageUp if !self.single_line => AreaKey::PageUp,
            KeyCode::PageDown if !self.single_line => AreaKey::PageDown,
            _ => return false,
        };
        if self.single_line && key.ctrl && key.code == KeyCode::Char('u') {
            // As in a shell; the crate's own meaning is to undo.
            return self.area.delete_line_by_head();
        }
        if self.single_line && key.ctrl && matches!(key.code, KeyCode::Char('m' | 'j')) {
            return false; // The crate's keys for a new line.
        }
        let before = self.area.cursor();
        let changed = self.area.input(Input { key: code, ctrl: key.ctrl, alt: key.alt, shift: false });
        changed || before != self.area.cursor()
    }

    /// Moves the cursor to the end of the text.
    pub fn to_end(&mut self) {
        self.area.move_cursor(CursorMove::Bottom);
        self.area.move_cursor(CursorMove::End);
    }

    /// Row and column of the cursor, in characters, from 0.
    pub fn cursor(&self) -> (usize, usize) {
        let at = self.area.cursor();
        (at.0, at.1)
    }

    /// The cursor's place in [`Editor::text`], in bytes.
    pub fn offset(&self) -> usize {
        let (row, column) = self.cursor();
        let lines = self.area.lines();
        let before: usize = lines.iter().take(row).map(|line| line.len() + 1).sum();
        let line = lines.get(row).map_or("", String::as_str);
        before + line.char_indices().nth(column).map_or(line.len(), |(at, _)| at)
    }

    /// Replaces a part of the text, in bytes; the cursor goes behind what is new.
    pub fn replace(&mut self, from: usize, to: usize, with: &str) {
        let text = self.text();
        let (Some(head), Some(tail)) = (text.get(..from), text.get(to..)) else { return };
        self.set(&format!("{head}{with}"));
        let at = self.area.cursor();
        self.area.insert_str(tail);
        self.area.move_cursor(CursorMove::Jump(at.0 as u16, at.1 as u16));
    }

    /// The lines, for drawing.
    pub fn rows(&self) -> &[String] {
        self.area.lines()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn type_into(editor: &mut Editor, text: &str) {
        for c in text.chars() {
            editor.input(Key::plain(KeyCode::Char(c)));
        }
    }

    #[test]
    fn a_paste_is_text_and_never_a_key() {
        let mut editor = Editor::line("");
        editor.insert("a\r\nb\x1b[31m\tq");
        assert_eq!(editor.text(), "a b[31m q");
        let mut editor = Editor::lines("");
        editor.insert("a\nb");
        assert_eq!(editor.text(), "a\nb");
    }

    #[test]
    fn it_edits_text_that_is_not_ascii() {
        let mut editor = Editor::line("");
        type_into(&mut editor, "é漢x");
        editor.input(Key::plain(KeyCode::Left));
        editor.input(Key::plain(KeyCode::Backspace));
        assert_eq!(editor.text(), "éx");
    }

    #[test]
    fn control_u_deletes_a_line_as_in_a_shell() {
        let mut editor = Editor::line("python3 bot.py");
        assert!(editor.input(Key::ctrl('u')));
        assert!(editor.is_empty());
    }

    #[test]
    fn a_part_is_replaced_wherever_it_stands() {
        let mut editor = Editor::lines("é\n{\"co");
        assert_eq!(editor.offset(), 7);
        editor.replace(4, 7, "\"column\": ");
        assert_eq!((editor.text().as_str(), editor.offset()), ("é\n{\"column\": ", 14));
        editor.replace(3, 4, "[\n ");
        assert_eq!((editor.text().as_str(), editor.cursor()), ("é\n[\n \"column\": ", (2, 1)));
        editor.replace(1, 99, "x");
        assert_eq!(editor.text().len(), 16, "what is not there is not replaced");
    }

    #[test]
    fn enter_tab_and_escape_are_left_to_others() {
        let mut editor = Editor::line("x");
        for code in [KeyCode::Enter, KeyCode::Tab, KeyCode::Esc, KeyCode::Up] {
            assert!(!editor.input(Key::plain(code)));
        }
        assert!(!editor.input(Key::ctrl('m')));
        assert_eq!(editor.text(), "x");
    }
}
