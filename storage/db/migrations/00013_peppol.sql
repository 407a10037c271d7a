-- Peppol: what is sent and what became of it, the documents, the settings of providers, and the call-backs that were taken.
-- Times are milliseconds since 1970 in UTC.
-- +goose Up
CREATE TABLE peppol_transmissions (
    id             TEXT    PRIMARY KEY,                        -- trm_…
    account_id     TEXT    NOT NULL REFERENCES accounts (id),
    mode           TEXT    NOT NULL CHECK (mode IN ('test', 'live')),
    state          TEXT    NOT NULL CHECK (state IN ('queued', 'sending', 'sent', 'delivered', 'failed', 'canceled')),
    message_id     TEXT    NOT NULL,                           -- fixed with the row, the same in every attempt
    job_id         TEXT    NOT NULL,                           -- that sends it; another one after a retry
    run            BIGINT  NOT NULL DEFAULT 0,                 -- of the job, that made the last attempt
    attempts       INTEGER NOT NULL DEFAULT 0,                 -- that were begun
    tries          INTEGER NOT NULL DEFAULT 0,                 -- of them, since it was queued last
    events         INTEGER NOT NULL DEFAULT 0,                 -- the number of the last event
    sender         TEXT    NOT NULL,
    recipient      TEXT    NOT NULL,
    recipient_name TEXT    NOT NULL,
    document_type  TEXT    NOT NULL,                           -- with its scheme
    process        TEXT    NOT NULL,                           -- with its scheme
    country        TEXT    NOT NULL,                           -- of who sends
    invoice_number TEXT    NOT NULL,
    code           TEXT    NOT NULL DEFAULT '',                -- why it failed
    reason         TEXT    NOT NULL DEFAULT '',                -- the same in words
    receipt        TEXT    NOT NULL DEFAULT '',                -- as the provider gave it; never sent again with one
    created        BIGINT  NOT NULL,
    updated        BIGINT  NOT NULL,
    sent           BIGINT,
    ended          BIGINT                                      -- delivered, failed or canceled
);

CREATE INDEX peppol_transmissions_of_owner ON peppol_transmissions (account_id, mode, id);
CREATE UNIQUE INDEX peppol_transmissions_by_message ON peppol_transmissions (message_id);
CREATE INDEX peppol_transmissions_under_way ON peppol_transmissions (id) WHERE state IN ('queued', 'sending');

CREATE TABLE peppol_documents (
    transmission_id TEXT   PRIMARY KEY REFERENCES peppol_transmissions (id),
    bytes           BYTEA  NOT NULL,                           -- the document in its envelope
    created         BIGINT NOT NULL
);

CREATE INDEX peppol_documents_by_age ON peppol_documents (created);

CREATE TABLE peppol_events (
    transmission_id TEXT    NOT NULL REFERENCES peppol_transmissions (id),
    number          INTEGER NOT NULL,                          -- from 1
    type            TEXT    NOT NULL,
    message         TEXT    NOT NULL,
    created         BIGINT  NOT NULL,
    PRIMARY KEY (transmission_id, number)
);

CREATE TABLE peppol_settings (
    account_id  TEXT   NOT NULL REFERENCES accounts (id),
    mode        TEXT   NOT NULL CHECK (mode IN ('test', 'live')),
    callback_id TEXT   NOT NULL UNIQUE,                        -- pcb_…, in the path of call-backs
    sealed      BYTEA  NOT NULL,                               -- the settings, for account and mode
    updated     BIGINT NOT NULL,
    PRIMARY KEY (account_id, mode)
);

CREATE TABLE peppol_callbacks (
    callback_id TEXT   NOT NULL,
    digest      TEXT   NOT NULL,                               -- of what was signed, so that it is taken once
    created     BIGINT NOT NULL,
    PRIMARY KEY (callback_id, digest)
);

CREATE INDEX peppol_callbacks_by_age ON peppol_callbacks (created);
