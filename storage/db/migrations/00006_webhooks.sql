-- Webhooks: where events are sent, the events as they are sent, their deliveries and the log of attempts, and mail that is owed.
-- Times are milliseconds since 1970 in UTC; no time is NULL.
-- +goose Up
CREATE TABLE webhook_endpoints (
    id              TEXT    PRIMARY KEY,                       -- whk_…
    account_id      TEXT    NOT NULL REFERENCES accounts (id),
    mode            TEXT    NOT NULL CHECK (mode IN ('test', 'live')),
    url             TEXT    NOT NULL,
    events          TEXT    NOT NULL,                          -- JSON array of event types; empty: all
    description     TEXT    NOT NULL,
    enabled         BOOLEAN NOT NULL,
    disabled_reason TEXT    NOT NULL DEFAULT '',               -- why the service disabled it; empty where its owner did
    secret          BYTEA   NOT NULL,                          -- sealed for the id
    previous_secret BYTEA,                                     -- sealed for the id; signs beside the present one until
    previous_until  BIGINT,
    created         BIGINT  NOT NULL,
    updated         BIGINT  NOT NULL,
    deleted         BIGINT                                     -- the row goes when the last of its deliveries has gone
);

CREATE INDEX webhook_endpoints_of_owner ON webhook_endpoints (account_id, mode, id) WHERE deleted IS NULL;
CREATE INDEX webhook_endpoints_by_deletion ON webhook_endpoints (deleted) WHERE deleted IS NOT NULL;

CREATE TABLE webhook_events (
    id      TEXT   PRIMARY KEY,                                -- evt_…
    type    TEXT   NOT NULL,
    payload BYTEA  NOT NULL,                                   -- the body, byte for byte
    created BIGINT NOT NULL
);

CREATE INDEX webhook_events_by_age ON webhook_events (created);

CREATE TABLE webhook_deliveries (
    id          TEXT    PRIMARY KEY,                           -- dlv_…
    endpoint_id TEXT    NOT NULL REFERENCES webhook_endpoints (id),
    event_id    TEXT    NOT NULL REFERENCES webhook_events (id),
    state       TEXT    NOT NULL CHECK (state IN ('pending', 'sending', 'delivered', 'failed', 'canceled')),
    run         BIGINT  NOT NULL DEFAULT 0,                    -- the last claim; results carry it
    attempts    INTEGER NOT NULL DEFAULT 0,                    -- that have ended
    failures    INTEGER NOT NULL DEFAULT 0,                    -- since the first attempt, or since it was asked for again
    round       INTEGER NOT NULL DEFAULT 1,                    -- 1, and one more each time it is asked for again
    once        BOOLEAN NOT NULL,                              -- a trial, which is not repeated
    due         BIGINT  NOT NULL,                              -- pending: when the next attempt may begin; sending: when the claim ends
    created     BIGINT  NOT NULL,
    ended       BIGINT
);

CREATE INDEX webhook_deliveries_of_endpoint ON webhook_deliveries (endpoint_id, id);
CREATE INDEX webhook_deliveries_of_event ON webhook_deliveries (event_id);

CREATE TABLE webhook_attempts (
    delivery_id TEXT    NOT NULL REFERENCES webhook_deliveries (id),
    attempt     INTEGER NOT NULL,                              -- from 1
    started     BIGINT  NOT NULL,
    latency     BIGINT  NOT NULL,                              -- milliseconds
    url         TEXT    NOT NULL,
    headers     TEXT    NOT NULL,                              -- JSON object of those sent
    status      INTEGER NOT NULL,                              -- of HTTP; 0 without an answer
    response    TEXT    NOT NULL,                              -- the beginning of the answer's body
    reason      TEXT    NOT NULL,                              -- why there is no answer; empty with one
    next        BIGINT,                                        -- when the next attempt was due
    PRIMARY KEY (delivery_id, attempt)
);

-- Mail that is owed because a delivery has failed: one for each time.
CREATE TABLE webhook_mails (
    delivery_id TEXT    NOT NULL,
    round       INTEGER NOT NULL,
    account_id  TEXT    NOT NULL,
    mode        TEXT    NOT NULL,
    endpoint_id TEXT    NOT NULL,
    url         TEXT    NOT NULL,
    type        TEXT    NOT NULL,                              -- of the event
    attempts    INTEGER NOT NULL,
    outcome     TEXT    NOT NULL,                              -- of the last attempt: a status, or why there was none
    created     BIGINT  NOT NULL,
    due         BIGINT  NOT NULL,                              -- when it may be sent, or sent again
    tries       INTEGER NOT NULL DEFAULT 0,
    sent        BIGINT,
    PRIMARY KEY (delivery_id, round)
);

CREATE INDEX webhook_mails_by_due ON webhook_mails (due) WHERE sent IS NULL;
CREATE INDEX webhook_mails_by_age ON webhook_mails (created);
