-- Saved templates of PDF documents, with the text of each version. Times are milliseconds since 1970 in UTC.
-- +goose Up
CREATE TABLE templates (
    id         TEXT    PRIMARY KEY,                            -- a UUID that sorts by time
    account_id TEXT    NOT NULL REFERENCES accounts (id),
    mode       TEXT    NOT NULL CHECK (mode IN ('test', 'live')),
    name       TEXT    NOT NULL,
    version    INTEGER NOT NULL,                               -- the present one, counted from 1
    created    BIGINT  NOT NULL,
    updated    BIGINT  NOT NULL
);

CREATE INDEX templates_of_owner ON templates (account_id, mode, id);

-- A version never changes.
CREATE TABLE template_versions (
    template_id TEXT    NOT NULL REFERENCES templates (id),
    version     INTEGER NOT NULL,
    template    TEXT    NOT NULL,                              -- JSON, as it was sent
    created     BIGINT  NOT NULL,
    PRIMARY KEY (template_id, version)
);
