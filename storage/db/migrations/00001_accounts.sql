-- Accounts and their API keys. Times are milliseconds since 1970 in UTC; no time is NULL.
-- +goose Up
CREATE TABLE accounts (
    id      TEXT   PRIMARY KEY,
    name    TEXT   NOT NULL,
    created BIGINT NOT NULL
);

CREATE TABLE api_keys (
    id           TEXT   PRIMARY KEY,
    account_id   TEXT   NOT NULL REFERENCES accounts (id),
    mode         TEXT   NOT NULL CHECK (mode IN ('test', 'live')),
    name         TEXT   NOT NULL,
    lookup       TEXT   NOT NULL UNIQUE,                       -- the eight characters after sk_test_ or sk_live_
    sha256       TEXT   NOT NULL CHECK (length(sha256) = 64),  -- of the whole secret, lower-case hex
    last_four    TEXT   NOT NULL,
    entitlements TEXT   NOT NULL,                              -- JSON array of patterns
    created      BIGINT NOT NULL,
    revoked      BIGINT,
    last_used    BIGINT                                        -- to the minute
);

CREATE INDEX api_keys_of_account ON api_keys (account_id, id);
