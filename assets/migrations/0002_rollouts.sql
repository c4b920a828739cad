-- Rollout runs. Their episodes live in memory; what they used is written here in batches.

CREATE TABLE runs (
    seq                   INTEGER PRIMARY KEY AUTOINCREMENT,
    run_id                TEXT NOT NULL UNIQUE,
    account_id            TEXT NOT NULL REFERENCES accounts,
    status                TEXT NOT NULL CHECK (status IN ('active', 'closed')),
    ticks_per_episode     INTEGER NOT NULL,
    auto_curriculum       INTEGER NOT NULL,
    curriculum_band_width REAL NOT NULL,
    curriculum_ewma_alpha REAL NOT NULL,
    -- The smoothed win rate that the curriculum follows.
    win_rate              REAL NOT NULL,
    max_episodes          INTEGER NOT NULL,
    episodes_used         INTEGER NOT NULL,
    ticks_used            INTEGER NOT NULL,
    -- Ticks that an episode not yet started is reserved at.
    price_ticks           INTEGER NOT NULL,
    created_at            INTEGER NOT NULL,
    expires_at            INTEGER NOT NULL,
    closed_at             INTEGER
) STRICT;
CREATE INDEX runs_by_account ON runs (account_id, created_at, seq);
CREATE INDEX runs_by_status ON runs (status);

-- A run's hold may grow, so it can have several `hold` entries; it is settled and refunded once.
ALTER TABLE ledger ADD COLUMN run_id TEXT;
CREATE INDEX ledger_by_run ON ledger (run_id) WHERE run_id IS NOT NULL;
CREATE UNIQUE INDEX ledger_run_once ON ledger (run_id, kind) WHERE run_id IS NOT NULL AND kind IN ('settle', 'refund');
