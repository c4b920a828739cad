//! Every command of the twin: the SDK's resources and methods, in its order and under its names in kebab case.

use super::method::{Column, Method, Resource, View, list, number, one, text, time};
use crate::api::endpoints::{
    Act, CreateSession, GetBalance, GetGame, GetPlay, GetSession, GetSessionLogs, GetTags, JoinPlay,
    LeavePlay, ListGames, ListSessions, ListUsage,
};

const GAMES: &[Column] = &[
    text(&["slug"]),
    text(&["name"]),
    text(&["tags"]),
    text(&["players", "player_count"]),
    number(&["league.rated", "rated"]),
];
const SESSIONS: &[Column] = &[
    text(&["session_id", "id"]),
    text(&["game", "game_slug"]),
    text(&["status"]),
    number(&["tick", "ticks"]),
    number(&["credits", "cost", "credits_used"]),
    time(&["created_at"]),
];
const USAGE: &[Column] = &[
    time(&["created_at"]),
    text(&["kind", "type"]),
    number(&["credits", "credits_used", "amount"]),
    number(&["ticks"]),
    text(&["game", "game_slug"]),
    text(&["session_id", "run_id", "job_id"]),
    text(&["description"]),
];
const TAGS: &[Column] =
    &[text(&["tag", "name", "slug"]), number(&["game_count", "count"]), text(&["group", "category"])];

/// The resources.
pub(super) const RESOURCES: &[Resource] = &[
    Resource { name: "games", about: "The catalogue of games and tags", methods: GAMES_METHODS },
    Resource { name: "sessions", about: "Sessions as the account sees them", methods: SESSION_METHODS },
    Resource {
        name: "billing",
        about: "Credits: what there is and what was spent",
        methods: BILLING_METHODS,
    },
    Resource { name: "play", about: "Live sessions: create, join, act, watch", methods: PLAY_METHODS },
];

const GAMES_METHODS: &[Method] = &[
    list::<ListGames>("list", GAMES),
    one::<GetGame>("get", View::Record),
    one::<GetTags>("tags", View::Rows("tags", TAGS)),
];
const SESSION_METHODS: &[Method] = &[
    list::<ListSessions>("list", SESSIONS),
    one::<GetSession>("get", View::Record).watched(),
    one::<GetSessionLogs>("logs", View::Record),
];
const BILLING_METHODS: &[Method] =
    &[one::<GetBalance>("balance", View::Record).watched(), list::<ListUsage>("usage", USAGE)];
const PLAY_METHODS: &[Method] = &[
    one::<CreateSession>("create", View::Record),
    one::<JoinPlay>("join", View::Record),
    one::<GetPlay>("get", View::Record).watched(),
    one::<Act>("act", View::Record),
    one::<LeavePlay>("leave", View::Done("left")),
];
