-- Chains of records: each names the hash of the one before. Records are added and never changed.
-- +goose Up
CREATE TABLE chains (
    id           TEXT    PRIMARY KEY,                          -- chn_…
    account_id   TEXT    NOT NULL REFERENCES accounts (id),
    mode         TEXT    NOT NULL CHECK (mode IN ('test', 'live')),
    issuer       TEXT    NOT NULL,                             -- tax number
    installation TEXT    NOT NULL,
    created      BIGINT  NOT NULL,
    UNIQUE (account_id, mode, issuer, installation)
);

CREATE TABLE chain_records (
    chain_id  TEXT    NOT NULL REFERENCES chains (id),
    position  BIGINT  NOT NULL,                                -- from 1, without a gap
    cancels   BOOLEAN NOT NULL,                                -- a cancellation of the invoice
    number    TEXT    NOT NULL,                                -- of the invoice
    day       TEXT    NOT NULL,                                -- of its issue
    content   TEXT    NOT NULL,                                -- a hash of what the record says, by which the same is known again
    type      TEXT    NOT NULL,                                -- what is hashed, from here to generated, as it was hashed
    tax       TEXT    NOT NULL,
    total     TEXT    NOT NULL,
    previous  TEXT    NOT NULL,                                -- hash of the record before; empty for the first
    generated TEXT    NOT NULL,
    hash      TEXT    NOT NULL,
    created   BIGINT  NOT NULL,                                -- the same moment as generated; never less than that of the record before
    record    BYTEA   NOT NULL,                                -- the document
    PRIMARY KEY (chain_id, position)
);

CREATE INDEX chain_records_by_invoice ON chain_records (chain_id, number, day, position);
CREATE INDEX chain_records_by_time ON chain_records (chain_id, created);
