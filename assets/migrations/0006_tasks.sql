-- Tasks: what their problems are drawn from again when replies are scored. Kept for seven days.

CREATE TABLE tasks (
    task_id    TEXT PRIMARY KEY,
    account_id TEXT NOT NULL REFERENCES accounts,
    variant    TEXT NOT NULL,
    version    INTEGER NOT NULL,
    seed       INTEGER NOT NULL,
    -- The difficulty in twentieths, and the length in percent of what it asks for.
    difficulty INTEGER NOT NULL,
    percent    INTEGER NOT NULL,
    created_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX tasks_by_age ON tasks (created_at);

-- One row: what the names of tasks are sealed with, so that they are known when the tasks themselves are gone.
CREATE TABLE task_seal (
    key BLOB NOT NULL
) STRICT;
INSERT INTO task_seal VALUES (randomblob(32));
