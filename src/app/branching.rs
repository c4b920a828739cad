//! Branches of sessions: the form that asks where one begins and what it may cost, and how they stand in the list.

use std::collections::HashMap;
use std::sync::Arc;

use crate::api::Error as ApiError;
use crate::api::endpoints::{BranchPlay, PricedBranch};
use crate::api::model::{CreatedSession, Json, Session, SessionId, SessionStatus};
use crate::client::{Answer, Question, Ticket};

use super::answers::explain;
use super::effect::Effect;
use super::key::{Key, KeyCode};
use super::live::Tone;
use super::overlay::Overlay;
use super::panes::sessions::Facet;
use super::{App, TICK_PRICE};

/// What of a [`BranchForm`] has the keys.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Chosen {
    /// Where it begins.
    Tick,
    /// The button that declines.
    Cancel,
    /// The button that agrees.
    Branch,
}

/// A session to branch: where the branch begins, and what it costs at most.
#[derive(Debug, Clone)]
pub struct BranchForm {
    /// The session.
    pub session: SessionId,
    /// What is played.
    pub game: String,
    /// Ticks played before the branch; `None` begins where the session is when it is asked.
    pub tick: Option<u64>,
    /// The last tick that one can begin at.
    pub last: u64,
    /// The horizon, if it is known.
    pub max_ticks: Option<u64>,
    /// Whether the session goes on, so that it can be branched where it is.
    pub live: bool,
    /// Digits were typed; the first one starts a new number.
    typed: bool,
    /// What has the keys.
    pub chosen: Chosen,
    /// It was sent, and this answer is awaited.
    pub sent: Option<Ticket>,
    /// Why it was refused.
    pub problem: Option<String>,
}

impl BranchForm {
    /// The form for a session. One that is over begins again before its last tick.
    pub fn new(session: &Session) -> Self {
        let (live, tick) = (session.status.is_live(), session.tick.unwrap_or(0));
        // Where a match is over by its rules there is nothing to go on with.
        let last = if session.status == SessionStatus::Completed { tick.saturating_sub(1) } else { tick };
        Self {
            session: session.session_id.clone(),
            game: session.game.as_str().to_owned(),
            tick: (!live).then_some(last),
            last,
            max_ticks: session.max_ticks,
            live,
            typed: false,
            chosen: Chosen::Cancel,
            sent: None,
            problem: None,
        }
    }

    /// Ticks that may be played in it.
    pub fn ticks_left(&self) -> Option<u64> {
        Some(self.max_ticks?.saturating_sub(self.tick.unwrap_or(self.last)))
    }

    /// Credits it costs at most.
    pub fn price(&self) -> Option<f64> {
        self.ticks_left().map(|ticks| ticks as f64 * TICK_PRICE)
    }

    fn change(&mut self, up: bool) {
        if self.chosen != Chosen::Tick {
            self.chosen = if up { Chosen::Branch } else { Chosen::Cancel };
            return;
        }
        self.typed = false;
        self.tick = match self.tick {
            // Beyond the last one lies where it is now.
            Some(tick) if up && tick >= self.last => (!self.live).then_some(self.last),
            Some(tick) => Some(if up { tick + 1 } else { tick.saturating_sub(1) }),
            None if up => None,
            None => Some(self.last),
        };
    }

    fn digit(&mut self, digit: char) {
        if let (Chosen::Tick, Some(digit)) = (self.chosen, digit.to_digit(10)) {
            let before = if std::mem::replace(&mut self.typed, true) { self.tick.unwrap_or(0) } else { 0 };
            let next = before.saturating_mul(10).saturating_add(u64::from(digit));
            self.tick = Some(if next > self.last { u64::from(digit).min(self.last) } else { next });
        }
    }

    fn erase(&mut self) {
        if self.chosen == Chosen::Tick {
            self.tick = Some(self.tick.unwrap_or(self.last) / 10);
        }
    }

    fn priced(&self) -> PricedBranch {
        PricedBranch { branch: self.request(), ticks_left: self.ticks_left() }
    }

    fn request(&self) -> BranchPlay {
        let mut branch = BranchPlay::new(&self.session);
        if let Some(tick) = self.tick
            && let Ok(tick) = Json::parse(&tick.to_string())
        {
            // The platform documents no such field; the arena's is this.
            branch.extra.insert("tick", tick);
        }
        branch
    }
}

impl App {
    /// Opens the form for the selected session.
    pub(super) fn open_branch_form(&mut self) {
        let session = self.sessions.selected().filter(|_| self.sessions.facet != Facet::Recorded);
        match session {
            Some(session) if session.status == SessionStatus::Waiting => {
                self.toast(Tone::Warn, "it has not begun: there is nothing to branch");
            }
            Some(session) => self.overlay = Some(Overlay::Branch(BranchForm::new(session))),
            None => self.toast(Tone::Warn, "choose a session to branch first"),
        }
    }

    /// A key for the form.
    pub(super) fn typed_at_branch(&mut self, key: Key, mut form: BranchForm) -> Vec<Effect> {
        match key.code {
            _ if form.sent.is_some() || key.ctrl || key.alt => {} // Once sent, its answer closes it, or Esc.
            KeyCode::Down | KeyCode::Up | KeyCode::Tab | KeyCode::BackTab | KeyCode::Char('j' | 'k') => {
                form.chosen = if form.chosen == Chosen::Tick { Chosen::Cancel } else { Chosen::Tick };
            }
            KeyCode::Left | KeyCode::Char('h' | '-') => form.change(false),
            KeyCode::Right | KeyCode::Char('l' | '+') => form.change(true),
            KeyCode::Char('y') => return self.branch(form),
            KeyCode::Char('q') => return Vec::new(),
            KeyCode::Char(c) => form.digit(c),
            KeyCode::Backspace => form.erase(),
            KeyCode::Enter => match form.chosen {
                Chosen::Tick => form.chosen = Chosen::Cancel,
                Chosen::Branch => return self.branch(form),
                Chosen::Cancel => return Vec::new(),
            },
            _ => {}
        }
        self.overlay = Some(Overlay::Branch(form));
        Vec::new()
    }

    /// Sends the form. It stays open until the answer is there.
    fn branch(&mut self, mut form: BranchForm) -> Vec<Effect> {
        let (ticket, effect) = self.ask(Question::Branch(Box::new(form.priced())));
        (form.sent, form.problem) = (Some(ticket), None);
        self.overlay = Some(Overlay::Branch(form));
        vec![effect]
    }

    /// A session was branched, or perhaps not.
    pub(super) fn branched(&mut self, ticket: Ticket, reply: Result<Answer, Arc<ApiError>>) -> Vec<Effect> {
        // Another form may have been opened meanwhile.
        let form = match &mut self.overlay {
            Some(Overlay::Branch(form)) if form.sent == Some(ticket) => Some(form),
            _ => None,
        };
        let why = match reply {
            Ok(Answer::Branched(made)) => {
                if form.is_some() {
                    self.overlay = None;
                }
                let created = CreatedSession {
                    session_id: made.ids().into_iter().next().unwrap_or_default(),
                    session: made.session.unwrap_or_default(),
                    seats: made.seats.unwrap_or_default(),
                    player_id: made.player_id,
                    player_token: made.player_token,
                    ..CreatedSession::default()
                };
                return self.go_on_in(&created);
            }
            Ok(_) => return Vec::new(),
            Err(why) => why,
        };
        let words = if why.outcome_unknown() {
            "The answer was lost. The branch may exist and cost credits: look at the list before you make another."
                .to_owned()
        } else {
            explain(&why)
        };
        match form {
            Some(form) => (form.sent, form.chosen, form.problem) = (None, Chosen::Cancel, Some(words)),
            None => self.toast(Tone::Bad, words),
        }
        self.load_after_start()
    }

    /// Seats of ours are taken at once: their tokens come only here. Otherwise the branch is shown in the list.
    fn go_on_in(&mut self, created: &CreatedSession) -> Vec<Effect> {
        self.toast(Tone::Good, format!("branched: {}", created.id()));
        if !created.own_seats().is_empty() {
            return self.sit_down(created);
        }
        self.sessions.choose = Some(created.id().as_str().to_owned());
        self.load_after_start()
    }
}

/// The order of a list in which branches follow what they came from, and how deep each stands. Families with a live
/// session come first, otherwise the order stays; a branch whose parent is not listed stands alone.
pub fn families(items: &[Session], listed: impl Fn(&Session) -> bool) -> Vec<(usize, usize)> {
    let rows: Vec<usize> = (0..items.len()).filter(|&nth| listed(&items[nth])).collect();
    let by_id: HashMap<&str, usize> = rows.iter().map(|&nth| (items[nth].session_id.as_str(), nth)).collect();
    let parent = |nth: usize| {
        let parent = items[nth].branch.as_ref()?.parent_id.as_ref()?;
        by_id.get(parent.as_str()).copied().filter(|parent| *parent != nth)
    };
    let mut children: HashMap<usize, Vec<usize>> = HashMap::new();
    let mut roots = Vec::new();
    for &nth in &rows {
        match parent(nth) {
            Some(parent) => children.entry(parent).or_default().push(nth),
            None => roots.push(nth),
        }
    }
    let mut all: Vec<Vec<(usize, usize)>> = roots.iter().map(|&root| family(root, &mut children)).collect();
    // What claims to come from itself, by whatever way round, is in no family.
    let mut circles: Vec<usize> = children.into_values().flatten().collect();
    circles.sort_unstable();
    all.extend(circles.into_iter().map(|nth| vec![(nth, 0)]));
    all.sort_by_key(|family| !family.iter().any(|&(nth, _)| items[nth].status.is_live()));
    all.into_iter().flatten().collect()
}

fn family(root: usize, children: &mut HashMap<usize, Vec<usize>>) -> Vec<(usize, usize)> {
    let (mut rows, mut open) = (Vec::new(), vec![(root, 0)]);
    while let Some((nth, depth)) = open.pop() {
        rows.push((nth, depth));
        // The list is newest first; what is taken off the end comes first, so branches stand in the order they were made.
        open.extend(children.remove(&nth).unwrap_or_default().into_iter().map(|child| (child, depth + 1)));
    }
    rows
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn item(id: &str, parent: Option<&str>, status: &str) -> Session {
        let branch = parent.map(|parent| json!({"parent_id": parent, "tick": 3}));
        serde_json::from_value(json!({"session_id": id, "status": status, "branch": branch})).unwrap()
    }

    fn shown(items: &[Session]) -> Vec<(&str, usize)> {
        families(items, |_| true)
            .into_iter()
            .map(|(nth, depth)| (items[nth].session_id.as_str(), depth))
            .collect()
    }

    #[test]
    fn branches_follow_their_parents_and_live_families_come_first() {
        let items = [
            item("b2", Some("a"), "active"),
            item("c1", Some("b1"), "completed"),
            item("x", None, "completed"),
            item("b1", Some("a"), "completed"),
            item("a", None, "completed"),
            item("o", Some("deleted"), "completed"),
        ];
        assert_eq!(shown(&items), [("a", 0), ("b1", 1), ("c1", 2), ("b2", 1), ("x", 0), ("o", 0)]);
        let live: Vec<usize> =
            families(&items, |item| item.status.is_live()).into_iter().map(|(nth, _)| nth).collect();
        assert_eq!(live, [0]);
    }

    #[test]
    fn a_circle_hides_nothing() {
        let items = [
            item("a", Some("b"), "completed"),
            item("b", Some("a"), "completed"),
            item("c", Some("c"), "completed"),
        ];
        let mut ids: Vec<&str> = shown(&items).into_iter().map(|(id, _)| id).collect();
        ids.sort_unstable();
        assert_eq!(ids, ["a", "b", "c"]);
    }

    #[test]
    fn the_price_is_that_of_the_ticks_that_are_left() {
        let mut session = item("a", None, "active");
        (session.tick, session.max_ticks) = (Some(13), Some(42));
        let mut form = BranchForm::new(&session);
        assert_eq!((form.tick, form.ticks_left()), (None, Some(29)));
        form.chosen = Chosen::Tick;
        form.change(true);
        assert_eq!(form.tick, None, "there is nothing after now");
        form.change(false);
        form.change(false);
        assert_eq!((form.tick, form.ticks_left()), (Some(12), Some(30)));
        session.status = SessionStatus::Completed;
        let mut ended = BranchForm::new(&session);
        assert_eq!((ended.tick, ended.last), (Some(12), 12));
        ended.chosen = Chosen::Tick;
        for digit in "97".chars() {
            ended.digit(digit);
        }
        assert_eq!(ended.tick, Some(7), "97 is too late, so the digit starts anew");
        assert!((ended.price().unwrap() - 35.0 * TICK_PRICE).abs() < 1e-9);
        assert_eq!(ended.request().extra.get("tick").map(Json::get), Some("7"));
    }
}
