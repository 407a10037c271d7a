-- Plans, usage with its reservations, idempotency keys, the processes that hold both, and keys that are being rotated.
-- Times are milliseconds since 1970 in UTC.
-- +goose Up
ALTER TABLE accounts ADD COLUMN plan               TEXT    NOT NULL DEFAULT '';     -- a name of the plan file; empty: unlimited
ALTER TABLE accounts ADD COLUMN lapsed             BOOLEAN NOT NULL DEFAULT FALSE;  -- the subscription has ended: nothing more is counted in
ALTER TABLE accounts ADD COLUMN notification_email TEXT    NOT NULL DEFAULT '';
ALTER TABLE accounts ADD COLUMN defaults           TEXT    NOT NULL DEFAULT '{}';   -- a JSON object

-- A key's secret before the present one, which still works until the cut-off; at most one per key.
CREATE TABLE superseded_secrets (
    key_id    TEXT   PRIMARY KEY REFERENCES api_keys (id),
    lookup    TEXT   NOT NULL UNIQUE,
    sha256    TEXT   NOT NULL CHECK (length(sha256) = 64),
    last_four TEXT   NOT NULL,
    until     BIGINT NOT NULL,
    last_used BIGINT
);

-- What an account has used of an entitlement in a calendar month: committed units, and those of work that is under way.
CREATE TABLE usage (
    account_id  TEXT   NOT NULL REFERENCES accounts (id),
    period      TEXT   NOT NULL CHECK (length(period) = 7),                        -- 2026-03, in UTC
    entitlement TEXT   NOT NULL,
    reserved    BIGINT NOT NULL CHECK (reserved >= 0),
    committed   BIGINT NOT NULL CHECK (committed >= 0),
    PRIMARY KEY (account_id, period, entitlement)
);

-- The units of work that is under way. A reservation of an inline request belongs to a process, one of a job to none.
CREATE TABLE reservations (
    owner       TEXT    NOT NULL,                                                   -- a job, or an inline request's hold_…
    entitlement TEXT    NOT NULL,
    account_id  TEXT    NOT NULL,
    period      TEXT    NOT NULL,                                                   -- the month in which it was made, and counts
    units       BIGINT  NOT NULL CHECK (units > 0),
    counted     BOOLEAN NOT NULL,                                                   -- stands in usage.reserved; false where no quota applies
    process     TEXT    NOT NULL DEFAULT '',                                        -- that answers the inline request; empty for a job
    batch       TEXT    NOT NULL DEFAULT '',                                        -- that the job belongs to while it is open
    PRIMARY KEY (owner, entitlement)
);

CREATE INDEX reservations_by_process ON reservations (process) WHERE process <> '';
CREATE INDEX reservations_by_batch ON reservations (batch, entitlement) WHERE batch <> '';

-- Idempotency keys of the last 24 hours. Under way: owner and process; a job's: owner alone; kept: sealed.
CREATE TABLE idempotency_keys (
    key_id          TEXT   NOT NULL,
    idempotency_key TEXT   NOT NULL,
    fingerprint     TEXT   NOT NULL,
    owner           TEXT   NOT NULL,                                                -- hold_… or job_…
    process         TEXT   NOT NULL DEFAULT '',
    expires         BIGINT NOT NULL,
    sealed          BYTEA,                                                          -- the answer, encrypted
    PRIMARY KEY (key_id, idempotency_key)
);

CREATE INDEX idempotency_keys_by_owner ON idempotency_keys (owner);
CREATE INDEX idempotency_keys_by_process ON idempotency_keys (process) WHERE process <> '';
CREATE INDEX idempotency_keys_by_expiry ON idempotency_keys (expires);

-- The processes that are alive and may hold reservations, idempotency keys and open batches.
CREATE TABLE holders (
    id   TEXT   PRIMARY KEY,
    beat BIGINT NOT NULL
);
