-- A second factor, whose each session is, and devices where somebody has signed in.

-- +goose Up
CREATE TABLE second_factors (
    account    bigint PRIMARY KEY REFERENCES accounts (key),
    secret     bytea NOT NULL CHECK (length(secret) BETWEEN 16 AND 64),
    step       bigint NOT NULL,
    created_at bigint NOT NULL
);

CREATE TABLE recovery_codes (
    hash    bytea PRIMARY KEY CHECK (length(hash) = 32),
    account bigint NOT NULL REFERENCES accounts (key),
    used_at bigint
);
CREATE INDEX recovery_codes_by_account ON recovery_codes (account);

CREATE TABLE devices (
    hash    bytea PRIMARY KEY CHECK (length(hash) = 32),
    account bigint NOT NULL REFERENCES accounts (key),
    used_at bigint NOT NULL
);
CREATE INDEX devices_by_account ON devices (account, used_at);

ALTER TABLE sessions ADD COLUMN account bigint;
CREATE INDEX sessions_by_account ON sessions (account) WHERE account IS NOT NULL;

-- +goose Down
DROP INDEX sessions_by_account;
ALTER TABLE sessions DROP COLUMN account;
DROP TABLE devices, recovery_codes, second_factors;
