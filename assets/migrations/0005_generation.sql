-- Who writes submissions, and how they were written.

-- Endpoints like OpenAI's. The key stays in the environment: only the variable's name is kept.
CREATE TABLE providers (
    provider_id TEXT PRIMARY KEY,
    name        TEXT NOT NULL UNIQUE,
    base_url    TEXT NOT NULL,
    -- A JSON list.
    models      TEXT NOT NULL,
    key_env     TEXT,
    created_at  INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

-- How a submission was generated: the transcript (a JSON list of entries), what each request held besides it, and what the
-- values of its branches were measured under.
CREATE TABLE transcripts (
    submission_id   TEXT PRIMARY KEY,
    transcript      TEXT NOT NULL,
    request_context TEXT,
    value_context   TEXT
) STRICT, WITHOUT ROWID;

-- A decision point of a branched generation: its record as exports and branch scores have it.
CREATE TABLE decision_points (
    submission_id  TEXT NOT NULL,
    job_id         TEXT NOT NULL,
    decision_index INTEGER NOT NULL,
    record         TEXT NOT NULL,
    PRIMARY KEY (submission_id, decision_index)
) STRICT, WITHOUT ROWID;
CREATE INDEX decision_points_by_job ON decision_points (job_id, decision_index);

-- Sessions that a dataset build has had played, to be explored: found again when the build goes on after a restart.
CREATE TABLE build_parents (
    job_id     TEXT NOT NULL,
    unit       TEXT NOT NULL,
    session_id TEXT NOT NULL,
    PRIMARY KEY (job_id, unit)
) STRICT, WITHOUT ROWID;
