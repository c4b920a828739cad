//! The keys that have to do with looking at an observation.

use serde_json::Value;

use crate::client::{FeedId, Request};
use crate::tape::{Frame, Order, Place};

use super::{Against, FieldsForm, Find, Form, Pick};
use crate::app::editor::Editor;
use crate::app::effect::Effect;
use crate::app::key::{Key, KeyCode};
use crate::app::live::{Live, Tone};
use crate::app::overlay::Overlay;
use crate::app::{App, Pane};

impl App {
    /// The session on screen, and the number of the seat whose view is drawn.
    pub(in crate::app) fn on_screen(&self) -> Option<(&Live, usize)> {
        match self.pane {
            Pane::Sessions => {
                self.sessions.watching.as_ref().map(|watching| (self.shown(&watching.live), watching.seat))
            }
            Pane::Play => self.play.seat().map(|seat| (self.shown(&seat.live), 0)),
            _ => None,
        }
    }

    /// The observation on screen.
    pub fn shown_data(&self) -> Option<&Value> {
        let (live, seat) = self.on_screen()?;
        let seen = live.view.seen.as_ref()?;
        match seat % (1 + seen.others.len()) {
            0 => Some(&seen.data),
            nth => seen.others.get(nth - 1).map(|(_, data)| data),
        }
    }

    /// Whether the observation itself is on screen, as a tree that takes the keys.
    pub(in crate::app) fn in_tree(&self) -> bool {
        match self.pane {
            Pane::Sessions => self.sessions.watching.as_ref().is_some_and(|watching| watching.raw),
            Pane::Play => self.play.seat().is_some() && self.play.raw && !self.play.policy_log,
            _ => false,
        }
    }

    fn turn_to_shown(&mut self) -> Option<FeedId> {
        let feed = self.on_screen()?.0.feed;
        self.fields.turn_to(feed);
        Some(feed)
    }

    /// Opens the list of fields.
    pub(in crate::app) fn list_fields(&mut self) {
        self.turn_to_shown();
        let game = self.on_screen().and_then(|(live, _)| live.view.game.clone()).unwrap_or_default();
        let Some(data) = self.shown_data() else { return };
        let form = FieldsForm::new(game, data, self.fields.views.of(self.game_shown()));
        if form.paths.is_empty() {
            return self.toast(Tone::Plain, "this observation has no fields to choose from");
        }
        self.overlay = Some(Overlay::Fields(form));
    }

    /// The game on screen; empty without one.
    pub fn game_shown(&self) -> &str {
        self.on_screen().and_then(|(live, _)| live.view.game.as_deref()).unwrap_or_default()
    }

    /// A key for the list of fields.
    pub(in crate::app) fn typed_at_fields(&mut self, key: Key, mut form: FieldsForm) {
        let Some(path) = form.chosen().map(str::to_owned) else { return };
        let game = form.game.clone();
        let mut choice = self.fields.views.of(&game).choice(&path);
        let before = choice;
        let mut order = None;
        match key.code {
            _ if key.ctrl || key.alt => {}
            KeyCode::Enter | KeyCode::Char('q' | 'f') => return,
            KeyCode::Down | KeyCode::Char('j') | KeyCode::Tab => form.step(1),
            KeyCode::Up | KeyCode::Char('k') | KeyCode::BackTab => form.step(-1),
            KeyCode::PageDown => form.step(10),
            KeyCode::PageUp => form.step(-10),
            KeyCode::Right | KeyCode::Char('l') => choice.form = choice.form.step(true),
            KeyCode::Left | KeyCode::Char('h') => choice.form = choice.form.step(false),
            KeyCode::Char('p' | ' ') => choice.pinned = !choice.pinned,
            KeyCode::Char('x') => {
                choice.form = if choice.form == Form::Hidden { Form::Auto } else { Form::Hidden }
            }
            KeyCode::Char('J' | '+') => {
                form.shift(true);
                order = Some(form.paths.clone());
            }
            KeyCode::Char('K' | '-') => {
                form.shift(false);
                order = Some(form.paths.clone());
            }
            KeyCode::Char('R') => {
                self.fields.views.change(&game, |view| *view = super::GameView::default());
                self.fields.changed = true;
                return self.list_fields();
            }
            _ => {}
        }
        if choice != before || order.is_some() {
            self.fields.views.change(&game, |view| {
                view.choose(&path, choice);
                if let Some(order) = order {
                    view.order = order;
                }
            });
            self.fields.changed = true;
        }
        self.overlay = Some(Overlay::Fields(form));
    }

    /// The choices to keep, once the user is done with them.
    pub(in crate::app) fn keep_views(&mut self) -> Option<Effect> {
        let done = self.fields.changed && !matches!(self.overlay, Some(Overlay::Fields(_)));
        done.then(|| {
            self.fields.changed = false;
            Effect::KeepViews(self.fields.views.text())
        })
    }

    /// Opens the line to search with.
    pub(in crate::app) fn ask_for_text(&mut self) {
        if self.shown_data().is_some() {
            self.turn_to_shown();
            let text = self.fields.find.as_ref().map_or("", |find| find.text.as_str());
            self.overlay = Some(Overlay::Find(Editor::line(text)));
        }
    }

    /// A key for the line to search with.
    pub(in crate::app) fn typed_at_find(&mut self, key: Key, mut editor: Editor) {
        if key.code == KeyCode::Enter {
            return self.show_found();
        }
        editor.input(key);
        let find = self.shown_data().map(|data| Find::new(&editor.text(), data));
        self.fields.find = find.filter(|find| !find.text.is_empty());
        self.overlay = Some(Overlay::Find(editor));
    }

    /// Shows the place that was found, in the tree.
    fn show_found(&mut self) {
        let Some(find) = &self.fields.find else { return };
        let Some(path) = find.shown().map(str::to_owned) else {
            let words = format!("`{}` is not in this observation", crate::text::excerpt(&find.text, 30));
            return self.toast(Tone::Plain, words);
        };
        self.fields.folds.reveal(&path);
        self.fields.pick = Pick::At(path);
        match self.pane {
            Pane::Play => self.play.raw = true,
            _ => {
                if let Some(watching) = &mut self.sessions.watching {
                    watching.raw = true;
                }
            }
        }
    }

    /// Goes to the next place that was found, or to the one before.
    pub(in crate::app) fn step_found(&mut self, forward: bool) {
        let Some(mut find) = self.fields.find.take() else { return self.ask_for_text() };
        if let Some(data) = self.shown_data() {
            find.again(data);
        }
        find.step(forward);
        self.fields.find = Some(find);
        self.show_found();
    }

    /// Moves in the tree by rows; far beyond its ends means the end.
    pub(in crate::app) fn move_in_tree(&mut self, rows: isize) {
        self.turn_to_shown();
        let known = &self.screen.tree;
        self.fields.pick = match rows {
            _ if rows < -100_000 => Pick::First,
            _ if rows > 100_000 => Pick::Last,
            _ => {
                let at = known.chosen.saturating_add_signed(rows).min(known.rows.len().saturating_sub(1));
                match known.rows.get(at) {
                    Some((path, _)) => Pick::At(path.clone()),
                    None => Pick::First,
                }
            }
        };
    }

    /// Folds or unfolds the chosen row; with a direction only that.
    pub(in crate::app) fn fold(&mut self, open: Option<bool>) {
        self.turn_to_shown();
        let known = &self.screen.tree;
        let Some((path, is_open)) = known.rows.get(known.chosen).cloned() else { return };
        match is_open {
            Some(is_open) if open.is_none_or(|open| open != is_open) => {
                self.fields.folds.toggle(&path, is_open);
            }
            // To the left of what is closed lies what it is in.
            _ if open == Some(false) => {
                if let Some((parent, _)) = path.rsplit_once('/').filter(|(parent, _)| !parent.is_empty()) {
                    self.fields.pick = Pick::At(parent.to_owned());
                }
            }
            _ => {}
        }
    }

    /// Compares with the observation before, or with that of a tick; or stops that.
    pub(in crate::app) fn compare(&mut self) {
        if self.turn_to_shown().is_none() || self.fields.against.take().is_some() {
            return;
        }
        self.overlay = Some(Overlay::Compare(Editor::line("")));
    }

    /// A key for the line that asks for a tick.
    pub(in crate::app) fn typed_at_compare(&mut self, key: Key, mut editor: Editor) -> Vec<Effect> {
        if key.code != KeyCode::Enter {
            editor.input(key);
            self.overlay = Some(Overlay::Compare(editor));
            return Vec::new();
        }
        let text = editor.text();
        let Some(feed) = self.turn_to_shown() else { return Vec::new() };
        if text.trim().is_empty() {
            self.fields.against = Some(Against::Previous);
            return Vec::new();
        }
        let Ok(tick) = text.trim().parse::<u64>() else {
            self.toast(Tone::Warn, "write the number of a tick, or nothing for the one before");
            self.overlay = Some(Overlay::Compare(editor));
            return Vec::new();
        };
        self.compare_with(feed, tick)
    }

    /// Goes to the tick under the cursor of the charts.
    pub(in crate::app) fn go_to_charted(&mut self) -> Vec<Effect> {
        let tick = self.fields.charts.take().and_then(|charts| charts.tick());
        tick.map(|tick| self.seek_tick(tick)).unwrap_or_default()
    }

    /// Copies the chosen row of the tree: its path, or its value as JSON.
    pub(in crate::app) fn copy_from_tree(&mut self, value: bool) -> Vec<Effect> {
        self.turn_to_shown();
        let known = &self.screen.tree;
        let Some((path, _)) = known.rows.get(known.chosen).cloned() else { return Vec::new() };
        let text = if value {
            let found = self.shown_data().and_then(|data| data.pointer(&path));
            found.map(ToString::to_string).unwrap_or_default()
        } else {
            path
        };
        let what = if value { "the value" } else { "the path" };
        self.toast(Tone::Plain, format!("{what} is on the clipboard, where the terminal allows it"));
        vec![Effect::Copy(text)]
    }

    fn compare_with(&mut self, feed: FeedId, tick: u64) -> Vec<Effect> {
        let ticket = self.number();
        self.fields.against = Some(Against::Asked { ticket, tick });
        vec![Effect::Send(Request::Tape(feed, Order::Show { ticket, at: Place::Tick(tick) }))]
    }

    /// Takes a moment that was asked for to compare with. False if nobody here asked.
    pub(in crate::app) fn take_moment(&mut self, ticket: u64, frame: &Frame) -> bool {
        let Some(Against::Asked { ticket: asked, .. }) = self.fields.against else { return false };
        if asked != ticket {
            return false;
        }
        let mut view = frame.view.clone();
        view.settle();
        if let Some(seen) = view.seen {
            self.fields.against = Some(Against::Tick(view.tick, Box::new(seen)));
        } else {
            self.fields.against = None;
            self.toast(Tone::Warn, "the recording has no observation there");
        }
        true
    }
}
