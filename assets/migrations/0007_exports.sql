-- What exports hold, where their files are, and what their addresses are signed with.

-- Until now an export was empty and complete at once; from now on it is a job.
INSERT INTO jobs (job_id, account_id, kind, status, request, result, created_at, started_at, ended_at)
    SELECT job_id, account_id, 'export', 'completed', request, '{"record_count":0}', created_at, created_at, created_at
    FROM exports;
ALTER TABLE exports DROP COLUMN status;
-- When its files go, or went.
ALTER TABLE exports ADD COLUMN expires_at INTEGER;

-- What is in an export: chosen with it, so that no other export gives the same. `subject` and `part` find it again, `unit`
-- is what it counts as: a submission that was rated anew is another one.
CREATE TABLE export_records (
    job_id      TEXT NOT NULL,
    n           INTEGER NOT NULL,
    account_id  TEXT NOT NULL,
    export_type TEXT NOT NULL,
    unit        TEXT NOT NULL,
    subject     TEXT NOT NULL,
    part        INTEGER NOT NULL,
    game        TEXT NOT NULL,
    -- Whether it is left out of exports to come.
    tracked     INTEGER NOT NULL DEFAULT 1,
    PRIMARY KEY (job_id, n)
) STRICT, WITHOUT ROWID;
CREATE INDEX export_records_by_unit ON export_records (account_id, export_type, unit);

CREATE TABLE export_files (
    job_id  TEXT NOT NULL,
    n       INTEGER NOT NULL,
    name    TEXT NOT NULL,
    bytes   INTEGER NOT NULL,
    records INTEGER NOT NULL,
    PRIMARY KEY (job_id, n)
) STRICT, WITHOUT ROWID;

CREATE TABLE signing_keys (
    name TEXT PRIMARY KEY,
    key  BLOB NOT NULL
) STRICT, WITHOUT ROWID;
INSERT INTO signing_keys VALUES ('exports', randomblob(32));
