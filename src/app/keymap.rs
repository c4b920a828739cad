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
    /// The wall.
    Wall,
    /// A session that is watched.
    Watching,
    /// The way through a session, live or recorded.
    Timeline,
    /// One's own seats, while one plays.
    Playing,
    /// One's own seat, when the match is over.
    Ended,
    /// The credits.
    Credits,
    /// An observation as a tree.
    Tree,
    /// Scores over time.
    Charts,
}

impl Context {
    /// The heading in the help.
    pub fn title(self) -> &'static str {
        match self {
            Self::Global => "Everywhere",
            Self::List => "Lists",
            Self::Games => "Games",
            Self::Sessions => "Sessions",
            Self::Wall => "The wall",
            Self::Watching => "Watching",
            Self::Timeline => "Going through time",
            Self::Playing => "Playing",
            Self::Ended => "After a match",
            Self::Credits => "Credits",
            Self::Tree => "The observation itself",
            Self::Charts => "Charts",
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
            "Watch it, play its recording, or see how it ended",
        ),
        row(
            C::Sessions,
            A::NextFacet,
            &["a"],
            "next-facet",
            "live/recorded",
            "Show all sessions, the live ones, or what was recorded",
        ),
        row(
            C::Sessions,
            A::Wall,
            &["W"],
            "wall",
            "wall",
            "Watch the marked sessions at once, or all live ones",
        ),
        row(
            C::Sessions,
            A::Mark,
            &["space"],
            "mark",
            "mark",
            "Mark a live session for the wall, or take it away",
        ),
        row(
            C::Sessions,
            A::ReadLog,
            &["L"],
            "session-log",
            "log",
            "Read what the server wrote of a past session",
        ),
        row(
            C::Sessions,
            A::Branch,
            &["b"],
            "branch",
            "branch",
            "Begin a new session where this one is, or was; with its price",
        ),
        row(C::Sessions, A::Filter, &["/"], "filter", "filter", "Filter by game, id, status or player"),
        row(C::Sessions, A::ScrollDown, &["J", "ctrl-d"], "scroll-down", "", "Scroll the log down"),
        row(C::Sessions, A::ScrollUp, &["K", "ctrl-u"], "scroll-up", "", "Scroll the log up"),
        row(C::Wall, A::Zoom, &["enter"], "zoom", "zoom", "Put the chosen session on the whole screen"),
        row(C::Wall, A::Left, &["left", "h"], "tile-left", "", "One tile to the left"),
        row(C::Wall, A::Right, &["right", "l", "space"], "tile-right", "", "One tile to the right"),
        row(C::Wall, A::Up, &["up", "k"], "tile-up", "", "One row up"),
        row(C::Wall, A::Down, &["down", "j"], "tile-down", "", "One row down"),
        row(
            C::Wall,
            A::Refill,
            &["n"],
            "refill",
            "new ones",
            "Put new live sessions in the place of ended ones",
        ),
        row(C::Wall, A::DropTile, &["x"], "drop-tile", "drop", "Take the chosen session off the wall"),
        row(C::Wall, A::Back, &["esc", "q"], "back", "back", "Leave the wall; the sessions go on"),
        row(C::Timeline, A::Pause, &["space"], "pause", "pause", "Stand still, or play on"),
        row(C::Timeline, A::TickBack, &["left"], "tick-back", "tick", "A tick back"),
        row(C::Timeline, A::TickForward, &["right"], "tick-forward", "", "A tick on"),
        row(C::Timeline, A::MarkerBack, &["[", "shift-left"], "marker-back", "", "To the marker before"),
        row(C::Timeline, A::MarkerForward, &["]", "shift-right"], "marker-forward", "", "To the next marker"),
        row(C::Timeline, A::ToLive, &["l", "end"], "live", "live", "To the newest: back to live"),
        row(C::Timeline, A::Bookmark, &["b"], "bookmark", "mark", "Mark this moment, or take the mark away"),
        row(C::Timeline, A::Note, &["B"], "note", "", "Write a note at this moment"),
        row(C::Timeline, A::Seek, &["t"], "seek", "go to", "Go to a tick, 50%, +10 or -10"),
        row(C::Timeline, A::Faster, &["+", "="], "faster", "", "Play faster, up to 64 times"),
        row(C::Timeline, A::Slower, &["-"], "slower", "", "Play slower, down to a quarter"),
        row(
            C::Timeline,
            A::IdleTime,
            &["z"],
            "idle-time",
            "",
            "Shorten long waits to a second, or play them whole",
        ),
        row(C::Timeline, A::TenBack, &[","], "ten-back", "", "Ten ticks back"),
        row(C::Timeline, A::TenForward, &["."], "ten-forward", "", "Ten ticks on"),
        row(C::Timeline, A::FiftyBack, &["page-up"], "fifty-back", "", "Fifty ticks back"),
        row(C::Timeline, A::FiftyForward, &["page-down"], "fifty-forward", "", "Fifty ticks on"),
        row(C::Timeline, A::ToStart, &["home"], "start", "", "To the beginning"),
        row(C::Watching, A::NextSeat, &["s"], "next-seat", "seat", "See it from the next seat"),
        row(
            C::Watching,
            A::Back,
            &["esc", "q", "h"],
            "back",
            "back",
            "Back to the list; the session goes on",
        ),
        row(C::Watching, A::RawView, &["r"], "raw", "raw", "Show the observation itself, or the drawing"),
        row(C::Watching, A::Rules, &["i"], "rules", "rules", "Read the rules"),
        row(C::Watching, A::ScrollDown, &["J", "j", "down", "ctrl-d"], "scroll-down", "", "Scroll down"),
        row(C::Watching, A::ScrollUp, &["K", "k", "up", "ctrl-u"], "scroll-up", "", "Scroll up"),
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
        row(C::Playing, A::StartShadow, &["S"], "shadow", "", "Let a second command say what it would play"),
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
        row(C::Playing, A::ScrollDown, &["J", "ctrl-d"], "scroll-down", "", "Scroll the game down"),
        row(C::Playing, A::ScrollUp, &["K", "ctrl-u"], "scroll-up", "", "Scroll the game up"),
        row(C::Ended, A::PlayAgain, &["n", "p"], "play-again", "again", "Play this game again"),
        row(C::Ended, A::Leave, &["x"], "close", "close", "Close it"),
        row(C::Ended, A::NextSeat, &["s"], "next-seat", "", "Go to your next seat"),
        row(C::Ended, A::RawView, &["r"], "raw", "raw", "Show the observation itself, or the drawing"),
        row(C::Ended, A::PolicyLog, &["L"], "policy-log", "", "Show what the policy wrote"),
        row(C::Ended, A::ScrollDown, &["J", "ctrl-d"], "scroll-down", "", "Scroll the game down"),
        row(C::Ended, A::ScrollUp, &["K", "ctrl-u"], "scroll-up", "", "Scroll the game up"),
        row(C::Watching, A::ListFields, &["f"], "fields", "fields", "Choose how each field is drawn"),
        row(C::Watching, A::Find, &["/", "F"], "find", "find", "Search names and values of the observation"),
        row(C::Watching, A::FindNext, &["n"], "find-next", "", "To the next place that was found"),
        row(C::Watching, A::FindPrevious, &["N"], "find-previous", "", "To the place that was found before"),
        row(C::Watching, A::Compare, &["d"], "compare", "diff", "List what changed since an earlier tick"),
        row(
            C::Watching,
            A::Charts,
            &["c", "C"],
            "charts",
            "charts",
            "Scores, rewards and latencies over time",
        ),
        row(C::Playing, A::Charts, &["C"], "charts", "", "Scores, rewards and latencies over time"),
        row(C::Ended, A::Charts, &["C"], "charts", "charts", "Scores, rewards and latencies over time"),
        row(C::Charts, A::ChartLeft, &["left"], "chart-left", "", "The cursor to the left"),
        row(C::Charts, A::ChartRight, &["right"], "chart-right", "", "The cursor to the right"),
        row(C::Charts, A::ChartZoomIn, &["+", "="], "zoom-in", "closer", "Show half as much"),
        row(C::Charts, A::ChartZoomOut, &["-"], "zoom-out", "farther", "Show twice as much"),
        row(C::Charts, A::ChartGo, &["enter"], "go-to-tick", "go", "Go to the tick under the cursor"),
        row(C::Charts, A::Charts, &["esc", "q", "c", "C"], "close-charts", "close", "Back to the game"),
        row(C::Playing, A::ListFields, &["f"], "fields", "", "Choose how each field is drawn"),
        row(C::Playing, A::Find, &["F"], "find", "", "Search names and values of the observation"),
        row(C::Playing, A::FindNext, &["n"], "find-next", "", "To the next place that was found"),
        row(C::Playing, A::FindPrevious, &["N"], "find-previous", "", "To the place that was found before"),
        row(C::Playing, A::Compare, &["d"], "compare", "", "List what changed since an earlier tick"),
        row(C::Ended, A::ListFields, &["f"], "fields", "", "Choose how each field is drawn"),
        row(C::Ended, A::Find, &["F"], "find", "", "Search names and values of the observation"),
        row(C::Ended, A::Compare, &["d"], "compare", "", "List what changed since an earlier tick"),
        row(C::Tree, A::Fold, &["enter", "space"], "fold", "fold", "Fold or unfold"),
        row(C::Tree, A::CopyValue, &["y"], "copy-value", "copy", "Copy the value"),
        row(C::Tree, A::CopyPath, &["Y"], "copy-path", "", "Copy the path"),
        row(C::Tree, A::FoldClose, &["left"], "fold-close", "", "Fold, or go to what it is part of"),
        row(C::Tree, A::FoldOpen, &["right"], "fold-open", "", "Unfold"),
        row(C::Tree, A::Up, &["up", "k"], "up", "", "One up"),
        row(C::Tree, A::Down, &["down", "j"], "down", "", "One down"),
        row(C::Tree, A::PageUp, &["page-up", "ctrl-b"], "page-up", "", "A page up"),
        row(C::Tree, A::PageDown, &["page-down", "ctrl-f"], "page-down", "", "A page down"),
        row(C::Tree, A::Top, &["home", "g"], "top", "", "To the first"),
        row(C::Tree, A::Bottom, &["end", "G"], "bottom", "", "To the last"),
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
