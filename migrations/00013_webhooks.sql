-- Addresses that are told of changes, and the messages to them.

-- +goose Up
CREATE TABLE webhooks (
    key        INTEGER PRIMARY KEY AUTOINCREMENT,
    url        TEXT NOT NULL CHECK (url <> ''),
    note       TEXT NOT NULL,
    events     TEXT NOT NULL CHECK (json_type(events) = 'array'),
    secret     BLOB NOT NULL CHECK (length(secret) BETWEEN 24 AND 64),
    old_secret BLOB CHECK (length(old_secret) BETWEEN 24 AND 64), -- signs besides, until old_until
    old_until  INTEGER,          -- Unix seconds, as are all times here
    created_at INTEGER NOT NULL,
    created_by TEXT NOT NULL,
    seen       INTEGER NOT NULL, -- line of the audit log up to which messages are made
    disabled   TEXT NOT NULL CHECK (disabled IN ('', 'off', 'failing', 'gone')),
    failures   INTEGER NOT NULL, -- attempts in a row that failed
    failing_at INTEGER,          -- of the first of these
    taken_at   INTEGER           -- NULL: nothing was ever taken
) STRICT;

CREATE TABLE webhook_messages (
    key        INTEGER PRIMARY KEY AUTOINCREMENT,
    webhook    INTEGER NOT NULL REFERENCES webhooks (key),
    id         TEXT NOT NULL UNIQUE CHECK (id <> ''),
    event      TEXT NOT NULL,
    body       TEXT NOT NULL,
    created_at INTEGER NOT NULL,
    state      TEXT NOT NULL CHECK (state IN ('pending', 'delivered', 'given-up')),
    attempts   INTEGER NOT NULL,
    next_at    INTEGER NOT NULL,
    lease      INTEGER NOT NULL, -- until when one server alone may send it; 0: none
    tried_at   INTEGER,          -- of the last attempt, as is all that follows
    took       INTEGER NOT NULL, -- milliseconds
    status     INTEGER NOT NULL, -- of HTTP; 0: no answer
    answer     TEXT NOT NULL,
    why        TEXT NOT NULL,
    detail     TEXT NOT NULL
) STRICT;
CREATE INDEX webhook_messages_due ON webhook_messages (next_at) WHERE state = 'pending';
CREATE INDEX webhook_messages_of ON webhook_messages (webhook, key);

-- +goose Down
DROP TABLE webhook_messages;
DROP TABLE webhooks;
