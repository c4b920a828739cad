//! Providers in seats: the server asks a model for each turn (protocol.md §3.2). What that costs is not known before.

use std::sync::Arc;
use std::time::Duration;

use crate::api::Message;
use crate::api::model::ProviderId;
use crate::client::{FeedId, Request};

use crate::app::App;
use crate::app::TICK_PRICE;
use crate::app::editor::Editor;
use crate::app::effect::Effect;
use crate::app::live::Tone;
use crate::app::overlay::{Confirm, Overlay, ProviderPicker, Then};
use crate::app::panes::play::{Driver, OwnSeat, ProviderSeat, Sent};

/// A provider that said nothing for so long loses the seat.
const PATIENCE: Duration = Duration::from_mins(3);

/// A provider and its model, as chosen for a seat.
#[derive(Debug, Clone, PartialEq)]
pub struct Delegation {
    /// The socket of the seat.
    pub feed: FeedId,
    /// The provider.
    pub provider: ProviderId,
    /// The model; without one the provider's own choice.
    pub model: Option<String>,
}

impl App {
    /// Opens the choice of providers for the seat on screen.
    pub(in crate::app) fn choose_provider(&mut self) -> Vec<Effect> {
        let Some(seat) = self.play.seat().filter(|seat| seat.live.is_live()) else { return Vec::new() };
        let picker = ProviderPicker { feed: seat.live.feed, at: 0, model: Editor::line("") };
        self.overlay = Some(Overlay::Provider(picker));
        self.load_providers().into_iter().collect()
    }

    /// A provider was chosen: asks whether it may cost credits, the first time.
    pub(in crate::app) fn provider_chosen(&mut self, chosen: Delegation) -> Vec<Effect> {
        let title = ProviderSeat::new(&chosen).title();
        if self.play.agreed.contains(&title) {
            return self.delegate(&chosen);
        }
        let player = self.play.seats.iter().find(|seat| seat.live.feed == chosen.feed);
        let player = player.map_or("this seat", |seat| seat.player_id.as_str());
        self.overlay = Some(Overlay::Confirm(Confirm {
            question: format!("Let {} decide for {player}?", crate::text::excerpt(&title, 60)),
            detail: vec![
                "What a turn costs is not known before: there is no dry run for it.".into(),
                "Every turn is one request to that model until you take the seat back with h.".into(),
                format!("The session itself costs {TICK_PRICE} cr a tick, as always."),
            ],
            yes: "Delegate",
            no: "Not now",
            agree: false,
            then: Then::Delegate(chosen),
        }));
        Vec::new()
    }

    /// Gives a seat to a provider.
    pub(in crate::app) fn delegate(&mut self, chosen: &Delegation) -> Vec<Effect> {
        let provider = ProviderSeat::new(chosen);
        self.play.agreed.insert(provider.title());
        let is_it = |seat: &OwnSeat| seat.live.feed == chosen.feed && seat.live.is_live();
        let Some(at) = self.play.seats.iter().position(is_it) else { return Vec::new() };
        let seat = &mut self.play.seats[at];
        let mut effects = Vec::new();
        if let Some(policy) = seat.policy.as_mut().filter(|_| seat.driver == Driver::Policy) {
            (policy.pending, policy.restart_at, policy.stopped) = (None, None, true);
            effects.push(Effect::StopPolicy(policy.run));
        }
        seat.take_from_provider();
        (seat.driver, seat.provider, seat.notice) = (Driver::Provider, Some(provider), None);
        effects.extend(self.ask_provider(at));
        effects
    }

    /// Lets the provider of a seat decide, if it drives and has to. Each turn is asked for once: a second request might
    /// be billed twice.
    pub(super) fn ask_provider(&mut self, at: usize) -> Vec<Effect> {
        let action_id = format!("d{}", self.number());
        let now = self.now.since_start;
        let seat = &mut self.play.seats[at];
        let tick = seat.live.view.tick;
        if seat.driver != Driver::Provider || !seat.wants_decision() {
            return Vec::new();
        }
        let by = seat.by();
        let Some(provider) = &mut seat.provider else { return Vec::new() };
        provider.pending = Some((tick, now));
        provider.turns += 1;
        let request = Request::Delegate {
            feed: seat.live.feed,
            action_id: action_id.clone(),
            by: by.clone(),
            tick,
            provider: provider.provider.clone(),
            model: provider.model.clone(),
        };
        seat.sent = Some(Sent { action_id, tick, payload: None });
        seat.note_act(tick, None, &by);
        vec![Effect::Send(request)]
    }

    /// The provider of a seat failed, or it is not known what became of its turn: the human gets the seat.
    pub(in crate::app) fn provider_failed(&mut self, at: usize, why: &str) {
        let title = self.play.seats[at].provider.as_ref().map(ProviderSeat::title).unwrap_or_default();
        let text = format!("the seat is yours: {title} {why}; v tries a provider again");
        self.take_from_provider(at, Tone::Bad, &text);
    }

    pub(super) fn take_from_provider(&mut self, at: usize, tone: Tone, text: &str) {
        let text = crate::text::clean(text).into_owned();
        let seat = &mut self.play.seats[at];
        seat.take_from_provider();
        seat.notice = Some((tone, text.clone()));
        self.tell_of_seat(at, tone, &text);
    }

    /// Whether the provider of a seat is deciding.
    pub(super) fn provider_decides(&self, at: usize) -> bool {
        let seat = &self.play.seats[at];
        seat.driver == Driver::Provider && seat.provider.as_ref().is_some_and(|p| p.pending.is_some())
    }

    /// An error came over a seat's socket.
    pub(super) fn seat_error(&mut self, at: usize, message: &Message) {
        if self.provider_decides(at) {
            let why = message.member::<String>("message").unwrap_or_else(|| "no reason given".into());
            self.provider_failed(at, &format!("failed: {why}"));
        }
    }

    /// Takes seats back from providers that have been silent for too long.
    pub(in crate::app) fn give_up_providers(&mut self) {
        let now = self.now.since_start;
        for at in 0..self.play.seats.len() {
            if self.play.seats[at].provider_due().is_some_and(|due| due <= now) {
                self.provider_failed(at, &format!("said nothing for {} s", PATIENCE.as_secs()));
            }
        }
    }

    /// When the next provider is given up.
    pub(in crate::app) fn next_provider_due(&self) -> Option<Duration> {
        self.play.seats.iter().filter_map(OwnSeat::provider_due).min()
    }
}

impl ProviderSeat {
    fn new(chosen: &Delegation) -> Self {
        let (provider, model) = (chosen.provider.clone(), chosen.model.clone());
        Self { provider, model, pending: None, turns: 0 }
    }
}

impl OwnSeat {
    fn provider_due(&self) -> Option<Duration> {
        let (_, since) = self.provider.as_ref()?.pending?;
        Some(since + PATIENCE)
    }

    /// Gives the seat to the human if a provider has it. What that was asked for may still be played by the server.
    pub(super) fn take_from_provider(&mut self) {
        if self.provider.take().is_some_and(|provider| provider.pending.is_some()) {
            self.sent = None;
        }
        if self.driver == Driver::Provider {
            self.driver = Driver::Human;
        }
    }
}

/// The choices in a game: a provider without listed models is one, each listed model is one.
pub fn rows(
    providers: &[crate::api::model::Provider],
    game: Option<&str>,
) -> Vec<(ProviderId, String, Option<String>)> {
    let mut rows = Vec::new();
    for provider in providers {
        let name: Arc<str> = provider.name.as_deref().unwrap_or(provider.provider_id.as_str()).into();
        let of_game = provider.models_by_game.as_ref().zip(game).and_then(|(models, game)| models.get(game));
        let models = of_game.or(provider.allowed_models.as_ref()).cloned().unwrap_or_default();
        let own = models.is_empty().then_some(None);
        for model in own.into_iter().chain(models.into_iter().map(Some)) {
            rows.push((provider.provider_id.clone(), name.to_string(), model));
        }
    }
    rows
}
