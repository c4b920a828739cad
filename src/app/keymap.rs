//! One table: which key does what, where, and how it is called. The footer, the help and the palette are made from
//! it, so none of them can disagree.
//!
//! Keys are looked up in the contexts of the moment, the most special first ([`App::contexts`](super::App::contexts)).

use super::action::Action;
use super::key::Key;

/// A place where a key has a meaning.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Context {
    /// Everywhere, last.
    Global,
    /// Any list.
    List,
    /// The games.
    Games,
    /// The sessions.
    Sessions,
    /// A session that is watched.
    Watching,
    /// One's own seats, while one plays.
    Playing,
    /// One's own seat, when the match is over.
    Ended,
    /// The credits.
    Credits,
}

impl Context {
    /// The heading in the help.
    pub fn title(self) -> &'static str {
        match self {
            Self::Global => "Everywhere",
            Self::List => "Lists",
            Self::Games => "Games",
            Self::Sessions => "Sessions",
            Self::Watching => "Watching",
            Self::Playing => "Playing",
            Self::Ended => "After a match",
            Self::Credits => "Credits",
        }
    }
}

/// A row of the table.
#[derive(Debug, Clone, Copy)]
pub struct Binding {
    /// What it does.
    pub action: Action,
    /// Where.
    pub context: Context,
    /// The keys, the first one is shown.
    pub keys: &'static [&'static str],
    /// The name in files and in the palette.
    pub name: &'static str,
    /// The word in the footer; empty keeps it out of there.
    pub label: &'static str,
    /// The line in the help.
    pub help: &'static str,
}

const fn row(
    context: Context,
    action: Action,
    keys: &'static [&'static str],
    name: &'static str,
    label: &'static str,
    help: &'static str,
) -> Binding {
    Binding { action, context, keys, name, label, help }
}

/// All bindings. Within a context the order is the footer's.
pub const BINDINGS: &[Binding] = {
    use Action as A;
    use Context as C;
    &[
        row(
            C::Games,
            A::StartSession,
            &["p"],
            "play",
            "play",
            "Play this game: seats, opponents, price, then start",
        ),
        row(C::Games, A::Watch, &["w"], "watch-live", "watch", "Watch a live session of this game"),
        row(C::Games, A::Open, &["enter"], "open-rules", "rules", "Read the rules over the whole width"),
        row(C::Games, A::CycleTag, &["t"], "next-tag", "tag", "Show only games of the next tag"),
        row(C::Games, A::Filter, &["/"], "filter", "filter", "Filter by name, slug or tag"),
        row(C::Games, A::ScrollDown, &["J", "ctrl-d"], "scroll-down", "", "Scroll the rules down"),
        row(C::Games, A::ScrollUp, &["K", "ctrl-u"], "scroll-up", "", "Scroll the rules up"),
        row(
            C::Sessions,
            A::Open,
            &["enter", "w"],
            "open-session",
            "watch",
            "Watch it while it runs, or see how it ended",
        ),
        row(
            C::Sessions,
            A::LiveOnly,
            &["a"],
            "live-only",
            "live/all",
            "Show live sessions only, or all of them",
        ),
        row(C::Sessions, A::Filter, &["/"], "filter", "filter", "Filter by game, id, status or player"),
        row(C::Sessions, A::ScrollDown, &["J", "ctrl-d"], "scroll-down", "", "Scroll the log down"),
        row(C::Sessions, A::ScrollUp, &["K", "ctrl-u"], "scroll-up", "", "Scroll the log up"),
        row(C::Watching, A::NextSeat, &["s"], "next-seat", "seat", "See it from the next seat"),
        row(C::Watching, A::RawView, &["r"], "raw", "raw", "Show the observation itself, or the drawing"),
        row(C::Watching, A::Rules, &["i"], "rules", "rules", "Read the rules"),
        row(C::Watching, A::ScrollDown, &["J", "j", "down", "ctrl-d"], "scroll-down", "", "Scroll down"),
        row(C::Watching, A::ScrollUp, &["K", "k", "up", "ctrl-u"], "scroll-up", "", "Scroll up"),
        row(
            C::Watching,
            A::Back,
            &["esc", "q", "h"],
            "back",
            "back",
            "Back to the list; the session goes on",
        ),
        row(C::Playing, A::Act, &["enter"], "act", "act", "Play the chosen action"),
        row(
            C::Playing,
            A::EditAction,
            &["e"],
            "edit-action",
            "JSON",
            "Write the action as JSON, checked as you type",
        ),
        row(C::Playing, A::SearchActions, &["/"], "search-actions", "search", "Search the legal actions"),
        row(C::Playing, A::DriveByPolicy, &["c"], "policy", "policy", "Let a command play this seat"),
        row(
            C::Playing,
            A::DriveByProvider,
            &["v"],
            "provider",
            "provider",
            "Let a provider's model play this seat, on the server",
        ),
        row(C::Playing, A::DriveByHand, &["h"], "by-hand", "by hand", "Take the seat back"),
        row(C::Playing, A::NextSeat, &["s"], "next-seat", "", "Go to your next seat"),
        row(C::Playing, A::Rules, &["i"], "rules", "rules", "Read the rules"),
        row(C::Playing, A::Leave, &["x"], "leave", "leave", "Leave the session: your seat is out"),
        row(
            C::Playing,
            A::StartShadow,
            &["S"],
            "shadow",
            "shadow",
            "Let a second command say what it would play",
        ),
        row(
            C::Playing,
            A::ShowShadow,
            &["w"],
            "show-shadow",
            "",
            "Show what the shadow would play, or hide it",
        ),
        row(
            C::Playing,
            A::ShowPrompt,
            &["P"],
            "prompt",
            "prompt",
            "Show the exact prompt a model would get, to copy",
        ),
        row(C::Playing, A::RawView, &["r"], "raw", "", "Show the observation itself, or the drawing"),
        row(C::Playing, A::PolicyLog, &["L"], "policy-log", "log", "Show what the policy writes"),
        row(C::Ended, A::PlayAgain, &["n", "p"], "play-again", "again", "Play this game again"),
        row(C::Ended, A::Leave, &["x"], "close", "close", "Close it"),
        row(C::Ended, A::NextSeat, &["s"], "next-seat", "", "Go to your next seat"),
        row(C::Ended, A::RawView, &["r"], "raw", "raw", "Show the observation itself, or the drawing"),
        row(C::Ended, A::PolicyLog, &["L"], "policy-log", "", "Show what the policy wrote"),
        row(C::Credits, A::Refresh, &["r"], "refresh", "refresh", "Ask for balance and usage now"),
        row(C::List, A::Up, &["up", "k"], "up", "", "One up"),
        row(C::List, A::Down, &["down", "j"], "down", "", "One down"),
        row(C::List, A::Left, &["left"], "left", "", "One to the left, where choices lie side by side"),
        row(C::List, A::Right, &["right"], "right", "", "One to the right, where choices lie side by side"),
        row(C::List, A::PageUp, &["page-up", "ctrl-b"], "page-up", "", "A page up"),
        row(C::List, A::PageDown, &["page-down", "ctrl-f"], "page-down", "", "A page down"),
        row(C::List, A::Top, &["home", "g"], "top", "", "To the first"),
        row(C::List, A::Bottom, &["end", "G"], "bottom", "", "To the last"),
        row(C::Global, A::GoGames, &["1"], "games", "", "Games: find one, read its rules, play it"),
        row(C::Global, A::GoSessions, &["2"], "sessions", "", "Sessions: live and past"),
        row(C::Global, A::GoPlay, &["3"], "play-pane", "", "Play: your own seats"),
        row(C::Global, A::GoCredits, &["9", "4"], "credits", "", "Credits: balance, usage, what burns"),
        row(C::Global, A::NextPane, &["tab"], "next-pane", "", "Next pane"),
        row(C::Global, A::PreviousPane, &["back-tab"], "previous-pane", "", "Previous pane"),
        row(C::Global, A::Palette, &[":"], "palette", "command", "Find any command by its name"),
        row(C::Global, A::Help, &["?", "f1"], "help", "help", "These keys"),
        row(C::Global, A::Refresh, &["f5", "R"], "refresh", "", "Ask the server again"),
        row(C::Global, A::Back, &["esc"], "back", "", "Back"),
        row(C::Global, A::Quit, &["q"], "quit", "quit", "Leave the program"),
        row(
            C::Global,
            A::Interrupt,
            &["ctrl-c"],
            "interrupt",
            "",
            "Close what is open, then leave; twice leaves at once",
        ),
        row(C::Global, A::Suspend, &["ctrl-z"], "suspend", "", "Suspend to the shell; fg comes back"),
        row(C::Global, A::Redraw, &["ctrl-l"], "redraw", "", "Draw the whole screen again"),
        row(
            C::Global,
            A::ToggleMouse,
            &["f2"],
            "mouse",
            "",
            "Mouse on or off; off lets the terminal select text",
        ),
    ]
};

/// What a key means in these contexts, the first that knows it decides.
pub fn lookup(contexts: &[Context], key: Key) -> Option<Action> {
    let bound = |context: Context| {
        BINDINGS
            .iter()
            .find(|binding| binding.context == context && binding.keys.iter().any(|text| is(text, key)))
            .map(|binding| binding.action)
    };
    contexts.iter().copied().find_map(bound)
}

/// The bindings that work in these contexts, hidden ones left out: a key taken by an earlier context is not listed
/// again by a later one.
pub fn active(contexts: &[Context]) -> impl Iterator<Item = &'static Binding> + use<'_> {
    contexts.iter().enumerate().flat_map(move |(nth, &context)| {
        BINDINGS.iter().filter(move |binding| {
            binding.context == context
                && !contexts[..nth].iter().any(|&earlier| {
                    BINDINGS
                        .iter()
                        .any(|other| other.context == earlier && other.keys.contains(&binding.keys[0]))
                })
        })
    })
}

fn is(text: &str, key: Key) -> bool {
    text.parse() == Ok(key)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_key_of_the_table_can_be_read_and_no_context_binds_one_twice() {
        for (nth, binding) in BINDINGS.iter().enumerate() {
            for key in binding.keys {
                key.parse::<Key>().unwrap();
                let twin =
                    BINDINGS[nth + 1..].iter().find(|o| o.context == binding.context && o.keys.contains(key));
                assert!(twin.is_none(), "`{key}` is both {} and {}", binding.name, twin.unwrap().name);
            }
            assert!(binding.help.len() < 64 && !binding.name.contains(' '), "{}", binding.name);
        }
    }

    #[test]
    fn the_most_special_context_wins_and_hides_the_other() {
        let contexts = [Context::Watching, Context::Global];
        let q = Key::plain(super::super::key::KeyCode::Char('q'));
        assert_eq!(lookup(&contexts, q), Some(Action::Back));
        assert_eq!(lookup(&[Context::Global], q), Some(Action::Quit));
        assert!(
            !active(&contexts).any(|binding| binding.name == "back" && binding.context == Context::Global)
        );
    }
}
