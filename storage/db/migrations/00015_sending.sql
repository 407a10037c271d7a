-- Sending of chains to the tax office: how far a chain was sent, and what became of each record. The records themselves are never changed.
-- Times are milliseconds since 1970 in UTC.
-- +goose Up
CREATE TABLE chain_sendings (
    chain_id TEXT    PRIMARY KEY REFERENCES chains (id),
    settled  BIGINT  NOT NULL DEFAULT 0,                       -- up to this position every record has an outcome
    batch    BIGINT  NOT NULL DEFAULT 0,                       -- last position of a batch that was begun and has no answer; 0 without one
    tries    INTEGER NOT NULL DEFAULT 0,                       -- attempts of that batch that were begun
    job_id   TEXT    NOT NULL DEFAULT '',                      -- that is to send; empty without one
    run      BIGINT  NOT NULL DEFAULT 0,                       -- of that job, that has begun the last attempt
    due      BIGINT  NOT NULL DEFAULT 0,                       -- the next submission is not before, unless a whole batch waits
    fault    TEXT    NOT NULL DEFAULT ''                       -- why the last attempt brought no answer; empty where it did
);

CREATE TABLE chain_outcomes (
    chain_id TEXT   NOT NULL,
    position BIGINT NOT NULL,
    state    TEXT   NOT NULL CHECK (state IN ('accepted', 'accepted_with_errors', 'rejected')),
    code     TEXT   NOT NULL,                                  -- of an error; empty without one
    message  TEXT   NOT NULL,
    csv      TEXT   NOT NULL,                                  -- the office's code for the submission; empty without one
    answered BIGINT NOT NULL,
    PRIMARY KEY (chain_id, position),
    FOREIGN KEY (chain_id, position) REFERENCES chain_records (chain_id, position)
);
