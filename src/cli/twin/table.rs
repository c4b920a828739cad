//! Every command of the twin: the SDK's resources and methods, in its order and under its names in kebab case.

use super::method::{Column, Resource, View, list, number, one, text, time};
use super::{load, local, long, sockets};
use crate::api::endpoints::{
    Act, BatchEvaluateSubmissions, BranchPlay, BulkDeleteSubmissions, CloseEpisode, CloseRun,
    CompleteEpisode, CreateExport, CreateSession, CreateSubmission, CreateTasks, DeleteSession,
    DeleteSubmission, EvaluateCode, EvaluateSubmission, Explore, ExtendRun, ForkEpisode, GetBalance,
    GetEpisode, GetEvaluations, GetExport, GetExportDownload, GetGame, GetJob, GetJobBranchScores, GetPlay,
    GetSession, GetSessionBranchScores, GetSessionBranches, GetSessionLogs, GetSubmission, GetTags,
    GetTaskInfo, JoinPlay, LeavePlay, ListExports, ListGames, ListProviders, ListRuns, ListSessions,
    ListSubmissions, ListUsage, OpenRun, ResetEpisode, ResetExportTracking, ScoreActions, ScoreTask,
    StepBatch, StepEpisode,
};

const ID_OF_JOB: &[&str] = &["job_id", "id"];
const GAME: &[&str] = &["game", "game_slug"];

const GAMES: &[Column] = &[
    text(&["slug"]),
    text(&["name"]),
    text(&["tags"]),
    text(&["players", "player_count"]),
    number(&["league.rated", "rated"]),
];
const TAGS: &[Column] =
    &[text(&["tag", "name", "slug"]), number(&["game_count", "count"]), text(&["group", "category"])];
const EXPORTS: &[Column] = &[
    text(ID_OF_JOB),
    text(&["export_type"]),
    text(&["status"]),
    text(&["format"]),
    number(&["record_count", "records"]),
    time(&["created_at"]),
];
const PROVIDERS: &[Column] =
    &[text(&["provider_id", "id"]), text(&["name"]), text(&["allowed_models", "models"])];
const SUBMISSIONS: &[Column] = &[
    text(&["submission_id", "id"]),
    text(GAME),
    number(&["elo_rating", "rating"]),
    number(&["percentile"]),
    text(&["provider"]),
    text(&["model"]),
    text(&["branch_config.mode"]),
    time(&["created_at"]),
];
const EVALUATIONS: &[Column] = &[
    text(&["eval_run_id", "evaluation_id", "id"]),
    text(&["status"]),
    number(&["reward"]),
    number(&["match_count", "matches"]),
    time(&["created_at"]),
];
const SESSIONS: &[Column] = &[
    text(&["session_id", "id"]),
    text(GAME),
    text(&["status"]),
    number(&["tick", "ticks"]),
    number(&["credits_used", "credits", "cost"]),
    time(&["created_at"]),
];
const LOGS: &[Column] = &[
    number(&["tick"]),
    text(&["level"]),
    text(&["seat", "player_id"]),
    text(&["event", "kind", "type"]),
    text(&["message", "text"]),
];
const BRANCHES: &[Column] = &[
    text(&["session_id", "branch_id", "id"]),
    number(&["tick", "branch_tick"]),
    text(&["status"]),
    text(&["action"]),
    number(&["score"]),
];
const USAGE: &[Column] = &[
    time(&["created_at"]),
    text(&["kind", "type"]),
    number(&["credits", "credits_used", "amount"]),
    number(&["ticks"]),
    text(GAME),
    text(&["session_id", "run_id", "job_id"]),
    text(&["description"]),
];
const RUNS: &[Column] = &[
    text(&["run_id", "id"]),
    text(&["status"]),
    number(&["episodes_used"]),
    number(&["max_episodes"]),
    number(&["ticks_used"]),
    number(&["credits_used"]),
    time(&["created_at"]),
];
const STEPS: &[Column] = &[
    text(&["episode_id"]),
    text(&["ok"]),
    number(&["tick"]),
    number(&["reward"]),
    text(&["done"]),
    text(&["error.code"]),
    text(&["error.message"]),
];
/// Actions with their scores.
pub(super) const SCORED: &[Column] = &[
    number(&["action_rank"]),
    text(&["action"]),
    number(&["score.mean"]),
    number(&["score.std_dev"]),
    number(&["win_rate"]),
    number(&["failure_rate"]),
    number(&["scored"]),
    text(&["source"]),
];
const TASKS: &[Column] =
    &[text(&["task_id"]), text(&["variant"]), text(&["kind"]), number(&["difficulty"]), number(&["price"])];
const RESULTS: &[Column] = &[number(&["points"]), text(&["solved"]), text(&["error"])];
const VARIANTS: &[Column] = &[
    text(&["name"]),
    text(&["kind"]),
    number(&["weight"]),
    number(&["generate_price"]),
    number(&["score_price"]),
];

/// What a person wants to know of a seat that was taken; the rest is long.
const SEAT: View = View::Brief(&[
    "session_id",
    "session.game",
    "session.status",
    "session.max_ticks",
    "player_id",
    "seats",
    "failure_reason",
    "session.failure_reason",
]);
const EPISODE: View = View::Brief(&[
    "episode_id",
    "game",
    "tick",
    "reward",
    "rewards",
    "done",
    "policy_seats",
    "on_turn_seats",
    "failed_seats",
    "eliminated_seats",
    "score",
    "scores",
    "rank",
    "outcome",
    "completion_reason",
    "player_count",
    "max_ticks",
    "seed",
    "difficulty",
    "observation",
]);

/// The resources.
pub(super) const RESOURCES: &[Resource] = &[
    Resource {
        name: "games",
        about: "The catalogue of games and tags",
        methods: &[
            list::<ListGames>("list", GAMES),
            one::<GetGame>("get", View::Record),
            one::<GetTags>("tags", View::Rows("tags", TAGS)),
        ],
    },
    Resource {
        name: "dataset-builds",
        about: "Data sets over many games, from generation to export",
        methods: &[
            one::<EvaluateCode>("evaluate-code", View::Record),
            one::<Explore>("explore", View::Record),
        ],
    },
    Resource {
        name: "exports",
        about: "Data to download and to load",
        methods: &[
            list::<ListExports>("list", EXPORTS),
            one::<CreateExport>("create", View::Record),
            one::<GetExport>("get", View::Record).watched(),
            one::<GetExportDownload>("download", View::Record),
            long::DOWNLOAD,
            load::LOAD,
            one::<ResetExportTracking>("reset-tracking", View::Done("reset")),
        ],
    },
    Resource {
        name: "jobs",
        about: "Builds, evaluations, generations and exports while they run",
        methods: &[
            one::<GetJob>("get", View::Record).watched(),
            long::WAIT,
            one::<GetJobBranchScores>("branch-scores", View::Record),
        ],
    },
    Resource {
        name: "providers",
        about: "Your organisation's model endpoints; they are registered in the web dashboard",
        methods: &[one::<ListProviders>("list", View::Table(PROVIDERS))],
    },
    Resource {
        name: "submissions",
        about: "Code that plays: upload, generate, evaluate, delete",
        methods: &[
            list::<ListSubmissions>("list", SUBMISSIONS),
            one::<GetSubmission>("get", View::Record).watched(),
            one::<CreateSubmission>("create", View::Record),
            one::<DeleteSubmission>("delete", View::Done("deleted")),
            one::<BulkDeleteSubmissions>("bulk-delete", View::Record),
            one::<EvaluateSubmission>("evaluate", View::Record),
            one::<BatchEvaluateSubmissions>("batch-evaluate", View::Record),
            one::<GetEvaluations>("evaluations", View::Rows("evaluations", EVALUATIONS)).watched(),
        ],
    },
    Resource {
        name: "sessions",
        about: "Sessions as the account sees them",
        methods: &[
            list::<ListSessions>("list", SESSIONS),
            one::<GetSession>("get", View::Record).watched(),
            one::<GetSessionLogs>("logs", View::Rows("logs", LOGS)),
            one::<GetSessionBranches>("branches", View::Rows("branches", BRANCHES)),
            one::<GetSessionBranchScores>("branch-scores", View::Record),
            one::<DeleteSession>("delete", View::Done("deleted")),
        ],
    },
    Resource {
        name: "billing",
        about: "Credits: what there is and what was spent",
        methods: &[one::<GetBalance>("balance", View::Record).watched(), list::<ListUsage>("usage", USAGE)],
    },
    Resource {
        name: "play",
        about: "Live sessions: create, join, act, watch",
        methods: &[
            one::<CreateSession>("create", SEAT),
            one::<JoinPlay>("join", SEAT),
            one::<BranchPlay>("branch", View::Record),
            one::<GetPlay>("get", View::Record).watched(),
            one::<Act>("act", View::Record),
            one::<LeavePlay>("leave", View::Done("left")),
            sockets::CONNECT,
            sockets::SPECTATE,
        ],
    },
    Resource {
        name: "rollout-runs",
        about: "Episodes for training: you run the loop",
        methods: &[
            one::<OpenRun>("open", View::Record),
            list::<ListRuns>("list", RUNS),
            one::<ResetEpisode>("reset", EPISODE),
            one::<GetEpisode>("get-episode", View::Record).watched(),
            one::<StepEpisode>("step", EPISODE),
            one::<StepBatch>("step-batch", View::Table(STEPS)),
            one::<ForkEpisode>("fork", EPISODE),
            long::FORK_BATCH,
            one::<ScoreActions>("score-actions", View::Rows("actions", SCORED)),
            one::<CompleteEpisode>("complete", View::Record),
            one::<CloseEpisode>("close-episode", View::Record),
            one::<ExtendRun>("extend", View::Record),
            one::<CloseRun>("close", View::Record),
        ],
    },
    Resource {
        name: "rollouts",
        about: "The SDK's algorithms: prompts, actions, episodes with a command as the policy",
        methods: &[local::SYSTEM, local::FORMAT, local::PARSE, local::RUN_EPISODE, local::SCORE],
    },
    Resource {
        name: "transcript",
        about: "Agentic generations: what the model saw",
        methods: &[local::RECONSTRUCT],
    },
    Resource {
        name: "tasks",
        about: "Verifiable tasks: draw one, score answers",
        methods: &[
            one::<CreateTasks>("create", View::Rows("tasks", TASKS)),
            one::<ScoreTask>("score", View::Rows("results", RESULTS)),
            one::<GetTaskInfo>("info", View::Rows("variants", VARIANTS)),
        ],
    },
];
