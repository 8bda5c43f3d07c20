-- What is known of feeds that are read again and again: the last usable file, and
-- what became of the last look.

-- +goose Up
CREATE TABLE feeds (
    id         TEXT PRIMARY KEY CHECK (id <> ''),
    address    TEXT NOT NULL, -- URL or path
    dataset    TEXT NOT NULL, -- id; there may be none of it yet
    settings   TEXT NOT NULL, -- hash of how the feed is read
    etag       TEXT NOT NULL, -- of the last usable file, as are the two below; empty when not known
    modified   TEXT NOT NULL,
    sha256     TEXT NOT NULL,
    checked_at INTEGER NOT NULL, -- Unix seconds
    taken_at   INTEGER,          -- NULL: nothing could be used yet
    draft      INTEGER NOT NULL, -- the last that was left to be looked at; 0: none. It may be gone
    result     TEXT NOT NULL CHECK (json_type(result) = 'object')
) STRICT, WITHOUT ROWID;

-- +goose Down
DROP TABLE feeds;
