-- The first schema. Numbered files are applied in order and never edited; `PRAGMA user_version` counts them.
-- Times are milliseconds since 1970 in UTC, money is whole micro-credits.

CREATE TABLE accounts (
    account_id    TEXT PRIMARY KEY,
    email         TEXT NOT NULL UNIQUE,
    password_hash TEXT,
    created_at    INTEGER NOT NULL
) STRICT;

-- Only the SHA-256 of a key is kept.
CREATE TABLE api_keys (
    key_hash   BLOB PRIMARY KEY,
    account_id TEXT NOT NULL REFERENCES accounts,
    name       TEXT NOT NULL,
    created_at INTEGER NOT NULL
) STRICT;

CREATE TABLE logins (
    token_hash BLOB PRIMARY KEY,
    csrf_hash  BLOB NOT NULL,
    account_id TEXT NOT NULL REFERENCES accounts,
    expires_at INTEGER NOT NULL
) STRICT;

CREATE TABLE sessions (
    seq               INTEGER PRIMARY KEY AUTOINCREMENT,
    session_id        TEXT NOT NULL UNIQUE,
    account_id        TEXT NOT NULL REFERENCES accounts,
    game              TEXT NOT NULL,
    game_version      TEXT NOT NULL,
    score_version     TEXT NOT NULL,
    status            TEXT NOT NULL,
    tick              INTEGER NOT NULL,
    max_ticks         INTEGER NOT NULL,
    player_count      INTEGER NOT NULL,
    vs_ai             INTEGER NOT NULL,
    spectate_mode     TEXT NOT NULL,
    tick_ms           INTEGER NOT NULL,
    pace_ms           INTEGER NOT NULL,
    seed              INTEGER NOT NULL,
    config            TEXT NOT NULL,
    created_at        INTEGER NOT NULL,
    started_at        INTEGER,
    ended_at          INTEGER,
    completion_reason TEXT,
    failure_reason    TEXT,
    micro             INTEGER NOT NULL
) STRICT;
CREATE INDEX sessions_by_account ON sessions (account_id, created_at, seq);
CREATE INDEX sessions_by_status ON sessions (status);

CREATE TABLE seats (
    session_id TEXT NOT NULL REFERENCES sessions (session_id) ON DELETE CASCADE,
    seat       INTEGER NOT NULL,
    kind       TEXT NOT NULL,
    name       TEXT NOT NULL,
    account_id TEXT,
    score      REAL NOT NULL,
    failed     INTEGER NOT NULL,
    eliminated INTEGER NOT NULL,
    rank       INTEGER,
    outcome    TEXT,
    PRIMARY KEY (session_id, seat)
) STRICT, WITHOUT ROWID;

-- What every seat played, one row a tick: with the seed and the config it replays the match.
CREATE TABLE actions (
    session_id TEXT NOT NULL REFERENCES sessions (session_id) ON DELETE CASCADE,
    n          INTEGER NOT NULL,
    tick       INTEGER NOT NULL,
    at         INTEGER NOT NULL,
    inputs     TEXT NOT NULL,
    PRIMARY KEY (session_id, n)
) STRICT, WITHOUT ROWID;

-- What else happened; `n` counts through both tables, so that they merge into one story.
CREATE TABLE logs (
    session_id TEXT NOT NULL REFERENCES sessions (session_id) ON DELETE CASCADE,
    n          INTEGER NOT NULL,
    tick       INTEGER NOT NULL,
    at         INTEGER NOT NULL,
    kind       TEXT NOT NULL,
    seat       INTEGER,
    text       TEXT NOT NULL,
    PRIMARY KEY (session_id, n)
) STRICT, WITHOUT ROWID;

-- The balance of an account is the sum of its entries. Entries outlive the sessions they speak of.
CREATE TABLE ledger (
    entry       INTEGER PRIMARY KEY AUTOINCREMENT,
    account_id  TEXT NOT NULL REFERENCES accounts,
    at          INTEGER NOT NULL,
    kind        TEXT NOT NULL CHECK (kind IN ('grant', 'hold', 'settle', 'refund')),
    micro       INTEGER NOT NULL,
    session_id  TEXT,
    game        TEXT,
    ticks       INTEGER,
    description TEXT NOT NULL
) STRICT;
CREATE INDEX ledger_by_account ON ledger (account_id, at, entry);
-- A session is held, settled and refunded once.
CREATE UNIQUE INDEX ledger_once ON ledger (session_id, kind) WHERE session_id IS NOT NULL;

CREATE TABLE exports (
    seq         INTEGER PRIMARY KEY AUTOINCREMENT,
    job_id      TEXT NOT NULL UNIQUE,
    account_id  TEXT NOT NULL REFERENCES accounts,
    export_type TEXT NOT NULL,
    format      TEXT NOT NULL,
    status      TEXT NOT NULL,
    request     TEXT NOT NULL,
    rows        INTEGER NOT NULL,
    created_at  INTEGER NOT NULL
) STRICT;
CREATE INDEX exports_by_account ON exports (account_id, seq);
