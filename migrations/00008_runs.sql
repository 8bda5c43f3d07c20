-- Measured runs that administrators kept beside estimates.

-- +goose Up
CREATE TABLE runs (
    key     INTEGER PRIMARY KEY AUTOINCREMENT,
    query   TEXT NOT NULL CHECK (query <> ''), -- of the estimate, with what was measured
    note    TEXT NOT NULL,
    kept_by TEXT NOT NULL,
    kept_at INTEGER NOT NULL -- Unix seconds
) STRICT;

-- +goose Down
DROP TABLE runs;
