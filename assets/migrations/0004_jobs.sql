-- Jobs, what they make, and what they cost.

CREATE TABLE jobs (
    seq          INTEGER PRIMARY KEY AUTOINCREMENT,
    job_id       TEXT NOT NULL UNIQUE,
    account_id   TEXT NOT NULL REFERENCES accounts,
    kind         TEXT NOT NULL CHECK (kind IN ('check', 'evaluation', 'generation', 'dataset_build', 'export')),
    status       TEXT NOT NULL CHECK (status IN ('queued', 'running', 'completed', 'failed', 'cancelled')),
    -- The job that started this one.
    parent_id    TEXT,
    request      TEXT NOT NULL,
    done         INTEGER NOT NULL DEFAULT 0,
    total        INTEGER NOT NULL DEFAULT 0,
    -- How often it was taken up: a job that ends with the arena each time is given up.
    attempts     INTEGER NOT NULL DEFAULT 0,
    result       TEXT,
    error        TEXT,
    callback_url TEXT,
    created_at   INTEGER NOT NULL,
    started_at   INTEGER,
    ended_at     INTEGER
) STRICT;
CREATE INDEX jobs_by_status ON jobs (status);
CREATE INDEX jobs_by_account ON jobs (account_id, kind, status);
CREATE INDEX jobs_by_parent ON jobs (parent_id) WHERE parent_id IS NOT NULL;

-- Code that plays a game. Deleted ones stay, for the exports and ratings that speak of them.
CREATE TABLE submissions (
    seq             INTEGER PRIMARY KEY AUTOINCREMENT,
    submission_id   TEXT NOT NULL UNIQUE,
    account_id      TEXT NOT NULL REFERENCES accounts,
    game            TEXT NOT NULL,
    game_version    TEXT NOT NULL,
    score_version   TEXT NOT NULL,
    language        TEXT NOT NULL,
    -- A JSON object: contents by file name.
    files           TEXT NOT NULL,
    -- What starts it; a Python module in `main.py` needs nothing.
    command         TEXT,
    -- Whether it wants a process for every turn.
    fresh           INTEGER NOT NULL DEFAULT 0,
    provider        TEXT,
    provider_source TEXT,
    model           TEXT,
    branch_mode     TEXT NOT NULL DEFAULT 'none' CHECK (branch_mode IN ('none', 'measure', 'best_of_n')),
    branch_config   TEXT,
    -- The job that generated or checked it.
    job_id          TEXT,
    status          TEXT NOT NULL CHECK (status IN ('pending', 'ready', 'failed')),
    -- Why it is not ready, as JSON: a code of arena.md §8 and what the program said.
    failure         TEXT,
    elo             REAL,
    elo_error       REAL,
    percentile      REAL,
    matches         INTEGER NOT NULL DEFAULT 0,
    failure_rate    REAL,
    created_at      INTEGER NOT NULL,
    deleted_at      INTEGER
) STRICT;
CREATE INDEX submissions_by_account ON submissions (account_id, seq);
CREATE INDEX submissions_by_game ON submissions (game, elo);

-- How far an evaluation is, its job says. While it runs the rating is that of the matches so far.
CREATE TABLE evaluations (
    seq           INTEGER PRIMARY KEY AUTOINCREMENT,
    eval_run_id   TEXT NOT NULL UNIQUE,
    submission_id TEXT NOT NULL,
    account_id    TEXT NOT NULL REFERENCES accounts,
    job_id        TEXT NOT NULL UNIQUE,
    match_count   INTEGER NOT NULL,
    seed          INTEGER NOT NULL,
    -- Which opponents were wanted, a JSON object in the words of the request.
    opponents     TEXT NOT NULL,
    -- The opponents that there were, a JSON list: the schedule and the rating follow from it, whatever changes later.
    pool          TEXT NOT NULL,
    played        INTEGER NOT NULL DEFAULT 0,
    elo           REAL,
    elo_error     REAL,
    percentile    REAL,
    failure_rate  REAL,
    -- JSON: matches by the code of the failure.
    failures      TEXT,
    score_stats   TEXT,
    created_at    INTEGER NOT NULL,
    -- Set once it is completed.
    ended_at      INTEGER
) STRICT;
CREATE INDEX evaluations_by_submission ON evaluations (submission_id, seq);

-- Matches of evaluations. The log replays them from the seed.
CREATE TABLE matches (
    seq               INTEGER PRIMARY KEY AUTOINCREMENT,
    replay_id         TEXT NOT NULL UNIQUE,
    eval_run_id       TEXT NOT NULL,
    n                 INTEGER NOT NULL,
    game              TEXT NOT NULL,
    game_version      TEXT NOT NULL,
    score_version     TEXT NOT NULL,
    config            TEXT NOT NULL,
    seed              INTEGER NOT NULL,
    max_ticks         INTEGER NOT NULL,
    ticks             INTEGER NOT NULL,
    completion_reason TEXT NOT NULL,
    -- The seat of the submission.
    seat              INTEGER NOT NULL,
    -- A JSON list, by seat: who played, score, rank, outcome, failure.
    seats             TEXT NOT NULL,
    wall_ms           INTEGER NOT NULL,
    cpu_ms            INTEGER NOT NULL,
    log               BLOB NOT NULL,
    created_at        INTEGER NOT NULL,
    UNIQUE (eval_run_id, n)
) STRICT;

-- What a charge is for, in the words of the usage list, and what caused it.
ALTER TABLE ledger ADD COLUMN cause TEXT;
ALTER TABLE ledger ADD COLUMN job_id TEXT;
ALTER TABLE ledger ADD COLUMN task_id TEXT;
CREATE INDEX ledger_by_job ON ledger (job_id) WHERE job_id IS NOT NULL;
-- A job is held, settled and refunded once.
CREATE UNIQUE INDEX ledger_job_once ON ledger (job_id, kind) WHERE job_id IS NOT NULL;

-- Credits that an account may spend a day, in UTC; no limit unless one is set.
ALTER TABLE accounts ADD COLUMN daily_limit INTEGER;
