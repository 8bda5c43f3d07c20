-- A second factor, whose each session is, and devices where somebody has signed in.

-- +goose Up
-- The secret is needed to check codes, so it cannot be a hash; who reads it has no password yet.
CREATE TABLE second_factors (
    account    INTEGER PRIMARY KEY REFERENCES accounts (key),
    secret     BLOB NOT NULL CHECK (length(secret) BETWEEN 16 AND 64),
    step       INTEGER NOT NULL, -- of 30 seconds: the latest whose code was taken
    created_at INTEGER NOT NULL  -- Unix seconds
) STRICT;

CREATE TABLE recovery_codes (
    hash    BLOB PRIMARY KEY CHECK (length(hash) = 32),
    account INTEGER NOT NULL REFERENCES accounts (key),
    used_at INTEGER -- NULL: not yet
) STRICT, WITHOUT ROWID;
CREATE INDEX recovery_codes_by_account ON recovery_codes (account);

CREATE TABLE devices (
    hash    BLOB PRIMARY KEY CHECK (length(hash) = 32), -- of the secret in its cookie
    account INTEGER NOT NULL REFERENCES accounts (key),
    used_at INTEGER NOT NULL -- Unix seconds: when somebody signed in there
) STRICT, WITHOUT ROWID;
CREATE INDEX devices_by_account ON devices (account, used_at);

ALTER TABLE sessions ADD COLUMN account INTEGER; -- NULL: nobody has signed in yet
CREATE INDEX sessions_by_account ON sessions (account) WHERE account IS NOT NULL;

-- +goose Down
DROP INDEX sessions_by_account;
ALTER TABLE sessions DROP COLUMN account;
DROP TABLE devices;
DROP TABLE recovery_codes;
DROP TABLE second_factors;
