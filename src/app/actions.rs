//! What each [`Action`] does.

use crate::client::{Question, Request};

use super::action::Action;
use super::effect::Effect;
use super::list::ListState;
use super::live::Tone;
use super::overlay::{CreateForm, Overlay, Palette, Wanted};
use super::panes::sessions::Facet;
use super::remote::Remote;
use super::{App, Pane};

impl App {
    pub(super) fn act(&mut self, action: Action) -> Vec<Effect> {
        if self.pane == Pane::Play
            && matches!(action, Action::Act | Action::EditAction | Action::SearchActions)
        {
            self.look_ahead(); // Who acts, acts now.
        }
        match action {
            Action::Quit => return self.quit(),
            Action::Interrupt => return self.interrupt(),
            Action::Back => return self.back(),
            Action::Suspend => return vec![Effect::Suspend],
            Action::Redraw => return vec![Effect::Redraw],
            Action::Help => self.overlay = Some(Overlay::Help { scroll: 0 }),
            Action::Palette => self.overlay = Some(Overlay::Palette(Palette::new(self.contexts()))),
            Action::ToggleMouse => return self.toggle_mouse(),
            Action::Refresh => return self.refresh(),
            Action::NextPane => return self.step_pane(1),
            Action::PreviousPane => return self.step_pane(Pane::ALL.len() - 1),
            Action::GoGames => return self.go(Pane::Games),
            Action::GoSessions => return self.go(Pane::Sessions),
            Action::GoPlay => return self.go(Pane::Play),
            Action::GoCredits => return self.go(Pane::Credits),
            Action::Left if self.on_wall() => self.step_tile(-1, 0),
            Action::Right if self.on_wall() => self.step_tile(1, 0),
            Action::Up | Action::Left => self.move_selection(-1),
            Action::Down | Action::Right => self.move_selection(1),
            Action::PageUp => self.move_selection(-self.page()),
            Action::PageDown => self.move_selection(self.page()),
            Action::Top => self.move_selection(isize::MIN / 2),
            Action::Bottom => self.move_selection(isize::MAX / 2),
            Action::ScrollUp => self.scroll(false),
            Action::ScrollDown => self.scroll(true),
            Action::Open => return self.open(),
            Action::Filter | Action::SearchActions => {
                if let Some(list) = self.list() {
                    list.start_typing();
                }
            }
            Action::CycleTag => self.games.next_tag(),
            Action::NextFacet => return self.next_facet(),
            Action::Mark => self.mark(),
            Action::Wall => return self.open_wall(),
            Action::Zoom => self.zoom(),
            Action::DropTile => return self.drop_tile(),
            Action::Refill => return self.refill_wall(),
            Action::ReadLog => return self.read_log(),
            Action::Branch => self.open_branch_form(),
            Action::TickBack
            | Action::TickForward
            | Action::TenBack
            | Action::TenForward
            | Action::FiftyBack
            | Action::FiftyForward
            | Action::MarkerBack
            | Action::MarkerForward
            | Action::ToStart
            | Action::ToLive
            | Action::Pause
            | Action::Faster
            | Action::Slower
            | Action::IdleTime
            | Action::Bookmark => return self.travel(action),
            Action::Note => self.open_prompt(Wanted::Note),
            Action::Seek => self.open_prompt(Wanted::Place),
            Action::StartSession => self.open_form(None),
            Action::PlayAgain => {
                let game = self.play.seat().and_then(|seat| seat.live.view.game.clone());
                self.open_form(game.as_deref());
            }
            Action::Watch => return self.watch_live(),
            Action::NextSeat => self.next_seat(),
            Action::RawView => self.toggle_raw(),
            Action::Rules => self.show_rules(),
            Action::Act => return self.play_chosen(),
            Action::EditAction => self.edit_action(),
            Action::DriveByHand => return self.take_back(),
            Action::DriveByPolicy => self.ask_for_policy(false),
            Action::DriveByProvider => return self.choose_provider(),
            Action::StartShadow => self.ask_for_policy(true),
            Action::ShowShadow => self.toggle_shadow(),
            Action::ShowPrompt => self.show_prompt(),
            Action::PolicyLog => self.play.policy_log = !self.play.policy_log,
            Action::Leave => return self.ask_to_leave(),
            Action::ListFields => self.list_fields(),
            Action::Find => self.ask_for_text(),
            Action::FindNext => self.step_found(true),
            Action::FindPrevious => self.step_found(false),
            Action::Fold => self.fold(None),
            Action::FoldClose => self.fold(Some(false)),
            Action::FoldOpen => self.fold(Some(true)),
            Action::Compare => self.compare(),
            Action::Charts => return self.toggle_charts(),
            Action::ChartZoomIn => return self.zoom_charts(true),
            Action::ChartZoomOut => return self.zoom_charts(false),
            Action::ChartLeft => return self.step_in_charts(-1),
            Action::ChartRight => return self.step_in_charts(1),
            Action::ChartGo => return self.go_to_charted(),
            Action::CopyPath => return self.copy_from_tree(false),
            Action::CopyValue => return self.copy_from_tree(true),
        }
        Vec::new()
    }

    pub(super) fn go(&mut self, pane: Pane) -> Vec<Effect> {
        if self.pane == pane {
            return Vec::new();
        }
        self.pane = pane;
        match pane {
            Pane::Sessions if self.sessions.watching.is_none() => {
                let mut effects: Vec<Effect> = self.load_sessions().into_iter().collect();
                if matches!(self.sessions.recordings, Remote::Idle) {
                    effects.extend(self.load_recordings());
                }
                effects
            }
            Pane::Credits => self.load_balance().into_iter().chain(self.load_usage()).collect(),
            _ => Vec::new(),
        }
    }

    fn step_pane(&mut self, by: usize) -> Vec<Effect> {
        let at = Pane::ALL.iter().position(|(pane, ..)| *pane == self.pane).unwrap_or(0);
        self.go(Pane::ALL[(at + by) % Pane::ALL.len()].0)
    }

    fn back(&mut self) -> Vec<Effect> {
        match self.pane {
            Pane::Games if self.games.reading => self.games.reading = false,
            Pane::Games => {
                if !self.games.list.clear_filter() {
                    self.games.tag = None;
                }
                self.games.refresh();
            }
            Pane::Sessions => {
                if let Some(effects) = self.leave_session() {
                    return effects;
                }
                if self.sessions.opened {
                    self.sessions.opened = false;
                } else {
                    self.sessions.shown_list().clear_filter();
                    self.sessions.refresh();
                    self.sessions.refresh_recorded();
                }
            }
            Pane::Play if self.looks_back() => self.look_ahead(),
            Pane::Play if self.play.policy_log => self.play.policy_log = false,
            Pane::Play if self.play.raw => self.play.raw = false,
            Pane::Play => {
                // Esc never gives a seat up: it only looks away.
                return self.go(Pane::Games);
            }
            Pane::Credits => {}
        }
        Vec::new()
    }

    fn toggle_mouse(&mut self) -> Vec<Effect> {
        self.mouse = !self.mouse;
        let text = if self.mouse {
            "mouse on; f2 gives it back to the terminal"
        } else {
            "mouse off: the terminal selects text"
        };
        self.toast(Tone::Plain, text);
        vec![Effect::SetMouse(self.mouse)]
    }

    fn refresh(&mut self) -> Vec<Effect> {
        if self.pane == Pane::Sessions
            && let Some(effect) = self.retry_tile()
        {
            return vec![effect];
        }
        // A lost socket is tried again at once.
        if let Some(live) = self.visible_live()
            && !matches!(live.link, super::live::Link::Open | super::live::Link::Recorded)
            && live.view.outcome.is_none()
        {
            return vec![Effect::Send(Request::Reconnect(live.feed))];
        }
        self.games.details.retain(|_, detail| detail.failure().is_none());
        // With a game on screen it is drawn by the files as they are now.
        let files = self.on_screen().is_some().then_some(Effect::ReadRenderers);
        files.into_iter().chain(self.load_all()).collect()
    }

    fn list(&mut self) -> Option<&mut ListState> {
        match self.pane {
            Pane::Games => Some(&mut self.games.list),
            Pane::Sessions => Some(self.sessions.shown_list()),
            Pane::Play => self.play.seat_mut().map(|seat| &mut seat.list),
            Pane::Credits => None,
        }
    }

    fn page(&self) -> isize {
        let rows = if self.in_tree() { self.screen.text_rows } else { self.screen.list_rows };
        rows.max(1) as isize
    }

    fn move_selection(&mut self, rows: isize) {
        if self.in_tree() {
            return self.move_in_tree(rows);
        }
        if self.pane == Pane::Sessions && self.sessions.wall.is_some() {
            return self.step_tile(0, rows.clamp(-1, 1));
        }
        let max = self.screen.max_scroll();
        match self.pane {
            Pane::Games if self.games.reading => {
                self.games.scroll = self.games.scroll.saturating_add_signed(rows).min(max);
            }
            Pane::Credits => self.credits.scroll = self.credits.scroll.saturating_add_signed(rows).min(max),
            pane => {
                if let Some(list) = self.list() {
                    list.move_by(rows);
                }
                if pane == Pane::Games {
                    self.games.scroll = 0;
                }
            }
        }
    }

    fn scroll(&mut self, down: bool) {
        if self.in_tree() {
            return self.move_in_tree(if down { 3 } else { -3 });
        }
        let max = self.screen.max_scroll();
        let by = isize::try_from(self.screen.text_rows / 3).unwrap_or(1).max(1);
        let offset = match self.pane {
            Pane::Games => &mut self.games.scroll,
            Pane::Sessions => match &mut self.sessions.watching {
                Some(watching) => &mut watching.scroll,
                None => &mut self.sessions.scroll,
            },
            Pane::Play => &mut self.play.scroll,
            Pane::Credits => &mut self.credits.scroll,
        };
        *offset = offset.saturating_add_signed(if down { by } else { -by }).min(max);
    }

    fn on_wall(&self) -> bool {
        self.pane == Pane::Sessions && self.sessions.wall.as_ref().is_some_and(|wall| !wall.zoomed)
    }

    fn open(&mut self) -> Vec<Effect> {
        match self.pane {
            Pane::Games => {
                self.games.reading = !self.games.reading;
                self.games.scroll = 0;
                Vec::new()
            }
            Pane::Sessions => self.open_session(),
            _ => Vec::new(),
        }
    }

    fn open_session(&mut self) -> Vec<Effect> {
        if self.sessions.facet == Facet::Recorded {
            return self.open_recording();
        }
        let Some(session) = self.sessions.selected() else { return Vec::new() };
        let id = session.session_id.clone();
        if let Some(at) = self.play.seats.iter().position(|seat| seat.live.view.session_id == id.as_str()) {
            self.play.at = at;
            return self.go(Pane::Play);
        }
        if session.status.is_live() {
            return self.watch(&id);
        }
        if let Some(tape) = self.sessions.tape_of(id.as_str()).cloned() {
            return self.play_back(&tape);
        }
        self.read_log()
    }

    /// Shows what the server wrote of the selected session.
    fn read_log(&mut self) -> Vec<Effect> {
        let Some(session) = self.sessions.selected().filter(|_| self.sessions.facet != Facet::Recorded)
        else {
            return Vec::new();
        };
        let id = session.session_id.clone();
        self.sessions.opened = true;
        self.sessions.scroll = 0;
        let (ticket, effect) = self.ask(Question::Logs(id.clone()));
        self.sessions.logs = Remote::Idle;
        self.sessions.logs.ask(ticket);
        self.sessions.logs_of = Some(id.as_str().to_owned());
        vec![effect]
    }

    fn watch_live(&mut self) -> Vec<Effect> {
        let Some(game) = self.games.selected().map(|game| game.slug.as_str().to_owned()) else {
            return Vec::new();
        };
        if let Some(id) = self.sessions.live_of(&game).map(|session| session.session_id.clone()) {
            return self.watch(&id);
        }
        self.toast(Tone::Plain, format!("no live session of {game}; p plays one"));
        Vec::new()
    }

    fn open_form(&mut self, slug: Option<&str>) {
        let game = slug.map_or_else(|| self.games.selected(), |slug| self.games.row(slug));
        match game {
            Some(game) => self.overlay = Some(Overlay::Create(CreateForm::new(game))),
            None if self.trouble.is_some() => {
                self.toast(Tone::Warn, "the platform does not answer; R tries again");
            }
            None => self.toast(Tone::Warn, "choose a game first (1)"),
        }
    }

    /// Sends the form. It stays open until the answer is there.
    pub(super) fn create(&mut self, mut form: CreateForm) -> Vec<Effect> {
        let (ticket, effect) = self.ask(Question::Create(Box::new(form.request())));
        form.sent = Some(ticket);
        form.problem = None;
        self.overlay = Some(Overlay::Create(form));
        vec![effect]
    }

    fn next_seat(&mut self) {
        match self.pane {
            Pane::Sessions => {
                if let Some(watching) = &mut self.sessions.watching {
                    let seats = 1 + watching.live.view.seen.as_ref().map_or(0, |seen| seen.others.len());
                    watching.seat = (watching.seat + 1) % seats;
                }
            }
            _ => self.play.next(),
        }
    }

    fn toggle_raw(&mut self) {
        let watching = self.sessions.watching.as_mut().filter(|_| self.pane == Pane::Sessions);
        if let Some(watching) = watching {
            (watching.raw, watching.scroll) = (!watching.raw, 0);
        } else {
            (self.play.raw, self.play.scroll) = (!self.play.raw, 0);
        }
    }

    fn show_rules(&mut self) {
        if let Some(slug) = self.visible_live().and_then(|live| live.view.game.clone()) {
            self.overlay = Some(Overlay::Rules { slug, scroll: 0 });
        }
    }
}
