//! Keys, pastes and the mouse: who gets them. The gate first, then what lies on top, then the text being typed in the
//! pane, then the table of keys.

use std::time::Duration;

use super::action::Action;
use super::branching::Chosen;
use super::effect::{Effect, Secret};
use super::event::{Mouse, MouseWhat};
use super::gate::Gate;
use super::key::{Key, KeyCode};
use super::keymap::{self, Context};
use super::list::Typed;
use super::overlay::{
    CommandPrompt, Confirm, CreateForm, Field, LinePrompt, Overlay, Palette, ProviderPicker, Then,
};
use super::screen::Hit;
use super::seats::providers::{self, Delegation};
use super::seats::read_command;
use super::{App, Pane};

/// A second Ctrl-C within this time leaves at once.
const TWICE: Duration = Duration::from_secs(2);

impl App {
    pub(super) fn typed(&mut self, key: Key) -> Vec<Effect> {
        if keymap::lookup(&[Context::Global], key) == Some(Action::Interrupt) {
            return self.interrupt();
        }
        // These work whatever is open: neither types a character.
        if let Some(action @ (Action::Suspend | Action::Redraw)) = keymap::lookup(&[Context::Global], key) {
            return self.act(action);
        }
        if self.gate.is_some() {
            return self.typed_at_gate(key);
        }
        if self.overlay.is_some() {
            return self.typed_over(key);
        }
        if let Some(effects) = self.typed_into_text(key) {
            return effects;
        }
        if let Some(effects) = self.steered(key) {
            return effects;
        }
        match keymap::lookup(&self.contexts(), key) {
            Some(action) => self.act(action),
            None => Vec::new(),
        }
    }

    /// Closes what is open; with nothing open, leaves. Twice in a row leaves whatever is open.
    pub(super) fn interrupt(&mut self) -> Vec<Effect> {
        let now = self.now.since_start;
        let twice = self.interrupted.is_some_and(|at| now.saturating_sub(at) < TWICE);
        self.interrupted = Some(now);
        if twice || self.gate.as_ref().is_some_and(|gate| gate.typing.is_none()) {
            return vec![Effect::Exit];
        }
        if let Some(gate) = &mut self.gate {
            gate.typing = None;
            return Vec::new();
        }
        if self.overlay.take().is_some() || self.close_text() {
            return Vec::new();
        }
        self.quit()
    }

    /// Ends the program, after a question if matches of the user's own go on.
    pub(super) fn quit(&mut self) -> Vec<Effect> {
        let live: Vec<String> = self
            .play
            .live()
            .map(|seat| {
                format!(
                    "{} · {} · {}",
                    seat.live.view.session_id,
                    seat.live.view.game.as_deref().unwrap_or("?"),
                    seat.player_id
                )
            })
            .collect();
        // On a screen too small for a question none is asked.
        if live.is_empty() || self.screen.tiny {
            return vec![Effect::Exit];
        }
        let mut detail = live;
        detail.push(
            "A session that is left open ends by itself later and is billed for the ticks it plays.".into(),
        );
        detail.push("To end it now: stay, and leave it with x in the Play pane.".into());
        self.overlay = Some(Overlay::Confirm(Confirm {
            question: "You still have seats in live sessions. Quit all the same?".into(),
            detail,
            yes: "Quit",
            no: "Stay",
            agree: false,
            then: Then::Quit,
        }));
        Vec::new()
    }

    /// Closes a text that has the keys. True if there was one.
    fn close_text(&mut self) -> bool {
        let list = match self.pane {
            Pane::Games => Some(&mut self.games.list),
            Pane::Sessions => Some(self.sessions.shown_list()),
            Pane::Play => {
                let Some(seat) = self.play.seat_mut() else { return false };
                if let Some(draft) = seat.draft.as_mut().filter(|draft| draft.open) {
                    draft.open = false;
                    return true;
                }
                Some(&mut seat.list)
            }
            Pane::Credits => None,
        };
        let Some(list) = list.filter(|list| list.typing()) else { return false };
        list.clear_filter();
        self.refilter();
        true
    }

    fn typed_into_text(&mut self, key: Key) -> Option<Vec<Effect>> {
        if self.pane == Pane::Play {
            if self.play.seat()?.draft.as_ref().is_some_and(|draft| draft.open) {
                return Some(self.typed_into_draft(key));
            }
            if self.play.seat()?.list.typing() && key.code == KeyCode::Enter {
                self.play.seat_mut()?.list.input(key);
                return Some(self.act(Action::Act));
            }
        }
        let list = match self.pane {
            Pane::Games => &mut self.games.list,
            Pane::Sessions if self.sessions.is_listing() => self.sessions.shown_list(),
            Pane::Play => &mut self.play.seat_mut()?.list,
            _ => return None,
        };
        if !list.typing() {
            return None;
        }
        if list.input(key) == Typed::Changed {
            self.refilter();
        }
        Some(Vec::new())
    }

    /// Filters the list of the pane again.
    fn refilter(&mut self) {
        match self.pane {
            Pane::Games => self.games.refresh(),
            Pane::Sessions => {
                self.sessions.refresh();
                self.sessions.refresh_recorded();
            }
            Pane::Play => {
                if let Some(seat) = self.play.seat_mut() {
                    let items: Vec<(String, String)> = seat
                        .choices
                        .iter()
                        .map(|choice| (choice.payload.to_string(), choice.label.clone()))
                        .collect();
                    seat.list.refresh(items.iter().map(|(id, text)| (id.as_str(), text.clone())));
                }
            }
            Pane::Credits => {}
        }
    }

    /// An arrow key plays, where the legal actions name directions. Where they lie on a board it goes to the next
    /// cell, and where the chosen one has a size it changes that.
    fn steered(&mut self, key: Key) -> Option<Vec<Effect>> {
        if self.pane != Pane::Play
            || key.ctrl
            || key.alt
            || self.in_tree()
            || self.in_charts()
            || self.looks_back()
        {
            return None;
        }
        let (direction, way) = match key.code {
            KeyCode::Up => ("up", (0, -1)),
            KeyCode::Down => ("down", (0, 1)),
            KeyCode::Left => ("left", (-1, 0)),
            KeyCode::Right => ("right", (1, 0)),
            _ => return None,
        };
        let seat = self.play.seat_mut().filter(|seat| seat.live.is_live())?;
        if seat.steers() {
            // Where some arrows play, the others do nothing: a list that moved instead would surprise.
            let Some(payload) = seat.steering(direction).map(|choice| choice.payload.clone()) else {
                return Some(Vec::new());
            };
            seat.list.select_id(&payload);
            return Some(self.act(Action::Act));
        }
        if seat.lies_on_board() {
            seat.go(way);
            return Some(Vec::new());
        }
        if way.0 != 0 {
            seat.resize(way.0 > 0)?;
            return Some(Vec::new());
        }
        None
    }

    pub(super) fn pasted(&mut self, text: &str) {
        if let Some(gate) = &mut self.gate {
            if let Some(editor) = &mut gate.typing {
                editor.insert(text.trim());
            }
            return;
        }
        match &mut self.overlay {
            Some(Overlay::Palette(palette)) => {
                palette.input.insert(text);
                palette.at = 0;
            }
            Some(Overlay::Command(prompt)) => prompt.input.insert(text),
            Some(Overlay::Provider(picker)) => picker.model.insert(text),
            Some(Overlay::Find(editor) | Overlay::Compare(editor)) => editor.insert(text),
            Some(Overlay::Line(prompt)) => prompt.input.insert(text),
            Some(_) => {} // A paste answers no question.
            None => self.pasted_into_pane(text),
        }
    }

    fn pasted_into_pane(&mut self, text: &str) {
        let filtered = match self.pane {
            Pane::Games => self.games.list.paste(text),
            Pane::Sessions if self.sessions.is_listing() => self.sessions.shown_list().paste(text),
            Pane::Play => match self.play.seat_mut() {
                Some(seat) => match seat.draft.as_mut().filter(|draft| draft.open) {
                    Some(draft) => {
                        draft.touched();
                        draft.editor.insert(text);
                        false
                    }
                    None => seat.list.paste(text),
                },
                None => false,
            },
            _ => false,
        };
        if filtered {
            self.refilter();
        }
    }

    pub(super) fn moused(&mut self, mouse: Mouse) -> Vec<Effect> {
        match mouse.what {
            MouseWhat::WheelUp => self.wheel(false),
            MouseWhat::WheelDown => self.wheel(true),
            MouseWhat::Click => match self.screen.at(mouse.column, mouse.row) {
                Some(hit) => self.clicked(hit),
                None => Vec::new(),
            },
        }
    }

    fn wheel(&mut self, down: bool) -> Vec<Effect> {
        const ROWS: usize = 3;
        let key = Key::plain(if down { KeyCode::Down } else { KeyCode::Up });
        if self.gate.is_some() || self.overlay.is_some() {
            return (0..ROWS).flat_map(|_| self.typed(key)).collect();
        }
        let scrolls = self.pane == Pane::Games && self.games.reading
            || self.pane == Pane::Sessions && self.sessions.watching.is_some();
        let action = match (scrolls, down) {
            (true, true) => Action::ScrollDown,
            (true, false) => Action::ScrollUp,
            (false, true) => Action::Down,
            (false, false) => Action::Up,
        };
        (0..ROWS).flat_map(|_| self.act(action)).collect()
    }

    fn clicked(&mut self, hit: Hit) -> Vec<Effect> {
        match hit {
            Hit::Button(agree) => return self.pressed(agree),
            _ if self.gate.is_some() || self.overlay.is_some() => {}
            Hit::Pane(pane) => return self.go(pane),
            Hit::Seek(nth) => return self.seek_to(nth),
            Hit::Tile(nth) => {
                if let Some(wall) = &mut self.sessions.wall {
                    if wall.at == nth {
                        self.zoom();
                    } else {
                        wall.at = nth;
                    }
                }
            }
            Hit::Action(action) => return self.act(action),
            Hit::Row(row) => {
                let list = match self.pane {
                    Pane::Games => &mut self.games.list,
                    Pane::Sessions => self.sessions.shown_list(),
                    Pane::Play => match self.play.seat_mut() {
                        Some(seat) => &mut seat.list,
                        None => return Vec::new(),
                    },
                    Pane::Credits => return Vec::new(),
                };
                if list.row() == row {
                    return self.act(if self.pane == Pane::Play { Action::Act } else { Action::Open });
                }
                list.select_row(row);
            }
        }
        Vec::new()
    }

    /// A button of the open dialogue was clicked.
    fn pressed(&mut self, agree: bool) -> Vec<Effect> {
        match &mut self.overlay {
            Some(Overlay::Confirm(confirm)) => confirm.agree = agree,
            Some(Overlay::Create(form)) => {
                form.field = Field::Buttons;
                form.start = agree;
            }
            Some(Overlay::Branch(form)) => form.chosen = if agree { Chosen::Branch } else { Chosen::Cancel },
            _ => return Vec::new(),
        }
        self.typed_over(Key::plain(KeyCode::Enter))
    }

    fn typed_at_gate(&mut self, key: Key) -> Vec<Effect> {
        let Some(gate) = &mut self.gate else { return Vec::new() };
        if gate.busy {
            return Vec::new();
        }
        if let Some(editor) = &mut gate.typing {
            match key.code {
                KeyCode::Esc => gate.typing = None,
                KeyCode::Enter if editor.is_empty() => gate.problem = Some("the key is empty".into()),
                KeyCode::Enter => {
                    let secret = Secret(editor.text());
                    (gate.busy, gate.problem) = (true, None);
                    return vec![Effect::UseKey(secret)];
                }
                _ => {
                    editor.input(key);
                }
            }
            return Vec::new();
        }
        let rows = Gate::ROWS.len();
        match key.code {
            _ if key.ctrl || key.alt => {}
            KeyCode::Up | KeyCode::Char('k') => gate.at = (gate.at + rows - 1) % rows,
            KeyCode::Down | KeyCode::Char('j') | KeyCode::Tab => gate.at = (gate.at + 1) % rows,
            KeyCode::Char('a') => return self.choose_at_gate(0),
            KeyCode::Char('p') => return self.choose_at_gate(1),
            KeyCode::Char('q') | KeyCode::Esc => return self.choose_at_gate(2),
            KeyCode::Enter => {
                let at = gate.at;
                return self.choose_at_gate(at);
            }
            _ => {}
        }
        Vec::new()
    }

    fn choose_at_gate(&mut self, row: usize) -> Vec<Effect> {
        let Some(gate) = &mut self.gate else { return Vec::new() };
        gate.at = row;
        match row {
            0 => {
                (gate.busy, gate.problem) = (true, None);
                vec![Effect::OpenArena]
            }
            1 => {
                gate.typing = Some(super::editor::Editor::line(""));
                Vec::new()
            }
            _ => vec![Effect::Exit],
        }
    }

    /// A key for what lies on top. Everything else waits below it.
    fn typed_over(&mut self, key: Key) -> Vec<Effect> {
        if key.code == KeyCode::Esc {
            self.overlay = None;
            return Vec::new();
        }
        match self.overlay.take() {
            Some(Overlay::Help { scroll }) => {
                self.typed_at_text(key, scroll, |scroll| Overlay::Help { scroll });
            }
            Some(Overlay::Rules { slug, scroll }) => {
                self.typed_at_text(key, scroll, |scroll| Overlay::Rules { slug: slug.clone(), scroll });
            }
            Some(Overlay::Palette(palette)) => return self.typed_at_palette(key, palette),
            Some(Overlay::Command(prompt)) => return self.typed_at_command(key, prompt),
            Some(Overlay::Provider(picker)) => return self.typed_at_provider(key, picker),
            Some(Overlay::Prompt(prompt)) => return self.typed_at_prompt(key, prompt),
            Some(Overlay::Line(asked)) => return self.typed_at_line(key, asked),
            Some(Overlay::Confirm(confirm)) => return self.typed_at_confirm(key, confirm),
            Some(Overlay::Create(form)) => return self.typed_at_form(key, form),
            Some(Overlay::Branch(form)) => return self.typed_at_branch(key, form),
            Some(Overlay::Fields(form)) => self.typed_at_fields(key, form),
            Some(Overlay::Find(editor)) => self.typed_at_find(key, editor),
            Some(Overlay::Compare(editor)) => return self.typed_at_compare(key, editor),
            None => {}
        }
        Vec::new()
    }

    /// Scrolls a text; any key that does not scroll closes it.
    fn typed_at_text(&mut self, key: Key, scroll: usize, keep: impl Fn(usize) -> Overlay) {
        let (page, most) = (self.screen.text_rows.max(1), self.screen.max_scroll());
        let next = match key.code {
            KeyCode::Down | KeyCode::Char('j') => scroll + 1,
            KeyCode::Up | KeyCode::Char('k') => scroll.saturating_sub(1),
            KeyCode::PageDown | KeyCode::Char(' ') => scroll + page,
            KeyCode::PageUp => scroll.saturating_sub(page),
            KeyCode::Home | KeyCode::Char('g') => 0,
            KeyCode::End | KeyCode::Char('G') => most,
            _ => return,
        };
        self.overlay = Some(keep(next.min(most)));
    }

    fn typed_at_palette(&mut self, key: Key, mut palette: Palette) -> Vec<Effect> {
        match key.code {
            KeyCode::Enter => {
                return match palette.chosen() {
                    Some(action) => self.act(action),
                    None => Vec::new(),
                };
            }
            KeyCode::Down | KeyCode::Tab => {
                palette.at = (palette.at + 1).min(palette.matches().len().saturating_sub(1));
            }
            KeyCode::Up | KeyCode::BackTab => palette.at = palette.at.saturating_sub(1),
            _ => {
                if palette.input.input(key) {
                    palette.at = 0;
                }
            }
        }
        self.overlay = Some(Overlay::Palette(palette));
        Vec::new()
    }

    fn typed_at_command(&mut self, key: Key, mut prompt: CommandPrompt) -> Vec<Effect> {
        if key.code == KeyCode::Enter {
            let command = prompt.input.text();
            if prompt.shadow && command.trim().is_empty() {
                return self.end_shadow(self.play.at);
            }
            match read_command(&command) {
                Ok((_, spec)) if prompt.shadow => return self.start_shadow(command, spec),
                Ok((reactions, spec)) => return self.seat_policy(command, spec, reactions),
                Err(why) => prompt.problem = Some(why),
            }
        } else {
            prompt.input.input(key);
            prompt.problem = None;
        }
        self.overlay = Some(Overlay::Command(prompt));
        Vec::new()
    }

    fn typed_at_provider(&mut self, key: Key, mut picker: ProviderPicker) -> Vec<Effect> {
        let known = self.play.providers.value().map_or(&[][..], |providers| &providers.items);
        let seat = self.play.seats.iter().find(|seat| seat.live.feed == picker.feed);
        let game = seat.and_then(|seat| seat.live.view.game.as_deref());
        let mut rows = providers::rows(known, game);
        match key.code {
            KeyCode::Down | KeyCode::Tab => picker.at = (picker.at + 1).min(rows.len().saturating_sub(1)),
            KeyCode::Up | KeyCode::BackTab => picker.at = picker.at.saturating_sub(1),
            KeyCode::Enter if picker.at < rows.len() => {
                let (provider, _, model) = rows.swap_remove(picker.at);
                let typed = picker.model.text().trim().to_owned();
                let model = if typed.is_empty() { model } else { Some(typed) };
                return self.provider_chosen(Delegation { feed: picker.feed, provider, model });
            }
            _ => {
                picker.model.input(key);
            }
        }
        self.overlay = Some(Overlay::Provider(picker));
        Vec::new()
    }

    fn typed_at_line(&mut self, key: Key, mut prompt: LinePrompt) -> Vec<Effect> {
        if key.code == KeyCode::Enter {
            return self.prompted(prompt);
        }
        prompt.input.input(key);
        prompt.problem = None;
        self.overlay = Some(Overlay::Line(prompt));
        Vec::new()
    }

    fn typed_at_confirm(&mut self, key: Key, mut confirm: Confirm) -> Vec<Effect> {
        match key.code {
            _ if key.ctrl || key.alt => {} // Esc and y, typed quickly, come as alt-y.
            KeyCode::Left | KeyCode::Right | KeyCode::Tab | KeyCode::BackTab | KeyCode::Char('h' | 'l') => {
                confirm.agree = !confirm.agree;
            }
            KeyCode::Char('y') => return self.agreed(confirm.then),
            KeyCode::Enter if confirm.agree => return self.agreed(confirm.then),
            KeyCode::Enter | KeyCode::Char('n' | 'q') => return Vec::new(),
            _ => {}
        }
        self.overlay = Some(Overlay::Confirm(confirm));
        Vec::new()
    }

    fn typed_at_form(&mut self, key: Key, mut form: CreateForm) -> Vec<Effect> {
        match key.code {
            _ if form.sent.is_some() || key.ctrl || key.alt => {} // Once sent, its answer closes it, or Esc.
            KeyCode::Down | KeyCode::Tab | KeyCode::Char('j') => form.step(true),
            KeyCode::Up | KeyCode::BackTab | KeyCode::Char('k') => form.step(false),
            KeyCode::Left | KeyCode::Char('h' | '-') => form.change(false),
            KeyCode::Right | KeyCode::Char('l' | '+') => form.change(true),
            KeyCode::Char('y') => return self.create(form),
            KeyCode::Char('q') => return Vec::new(),
            KeyCode::Char(c) => form.digit(c),
            KeyCode::Backspace => form.erase(),
            KeyCode::Enter if form.field != Field::Buttons => form.field = Field::Buttons,
            KeyCode::Enter if form.start => return self.create(form),
            KeyCode::Enter => return Vec::new(),
            _ => {}
        }
        self.overlay = Some(Overlay::Create(form));
        Vec::new()
    }

    fn agreed(&mut self, then: Then) -> Vec<Effect> {
        match then {
            Then::Quit => vec![Effect::Exit],
            Then::Delegate(chosen) => self.delegate(&chosen),
            Then::Leave(session, tokens) => self.leave(&session, tokens),
        }
    }
}
