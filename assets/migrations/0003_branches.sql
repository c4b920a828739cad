-- Branches: sessions that begin where another one was. A branch has its own copy of what was played before it, so it
-- outlives its parent, whose id stays as text.

CREATE TABLE branches (
    session_id   TEXT PRIMARY KEY REFERENCES sessions (session_id) ON DELETE CASCADE,
    parent_id    TEXT NOT NULL,
    tick         INTEGER NOT NULL,
    kind         TEXT NOT NULL CHECK (kind IN ('single', 'count', 'explore')),
    nth          INTEGER NOT NULL,
    sample       INTEGER,
    seat         INTEGER NOT NULL,
    first_action TEXT,
    players_seed INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX branches_by_parent ON branches (parent_id, nth);
