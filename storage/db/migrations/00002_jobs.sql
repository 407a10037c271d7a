-- Jobs and what is owed for them. The row is the job; the queue is only the bell.
-- Times are milliseconds since 1970 in UTC; no time is NULL.
-- +goose Up
CREATE TABLE jobs (
    id                TEXT    PRIMARY KEY,
    account_id        TEXT    NOT NULL REFERENCES accounts (id),
    mode              TEXT    NOT NULL CHECK (mode IN ('test', 'live')),
    key_id            TEXT    NOT NULL,
    request_id        TEXT    NOT NULL,
    kind              TEXT    NOT NULL,
    queue             TEXT    NOT NULL,
    state             TEXT    NOT NULL CHECK (state IN ('queued', 'running', 'succeeded', 'failed', 'canceled', 'expired')),
    progress          INTEGER NOT NULL DEFAULT 0 CHECK (progress BETWEEN 0 AND 100),
    run               BIGINT  NOT NULL DEFAULT 0,               -- the last claim; beats and results carry it
    attempts          INTEGER NOT NULL DEFAULT 0,               -- failures only
    crashes           INTEGER NOT NULL DEFAULT 0,               -- runs whose beat died
    time_limit        BIGINT  NOT NULL,                         -- of one run, in milliseconds
    created           BIGINT  NOT NULL,
    started           BIGINT,                                   -- of the first run
    finished          BIGINT,
    beat              BIGINT,                                   -- of the present run
    expires           BIGINT,                                   -- when input and output go
    input_size        BIGINT  NOT NULL,
    input_sha256      TEXT    NOT NULL,
    status            INTEGER NOT NULL DEFAULT 0,               -- the HTTP status of the synchronous answer, 0 without one
    answer_size       BIGINT  NOT NULL DEFAULT 0,
    answer_sha256     TEXT    NOT NULL DEFAULT '',              -- empty without an answer
    artifact_size     BIGINT  NOT NULL DEFAULT 0,
    artifact_sha256   TEXT    NOT NULL DEFAULT '',              -- empty without an artifact
    artifact_filename TEXT    NOT NULL DEFAULT '',
    artifact_mime     TEXT    NOT NULL DEFAULT '',
    failure_code      TEXT    NOT NULL DEFAULT '',              -- of a failure that is the service's, not the caller's
    failure_message   TEXT    NOT NULL DEFAULT ''
);

CREATE INDEX jobs_of_owner ON jobs (account_id, mode, id);
CREATE INDEX jobs_by_beat ON jobs (beat) WHERE state = 'running';
CREATE INDEX jobs_by_expiry ON jobs (expires) WHERE state IN ('succeeded', 'failed', 'canceled');

-- What is owed to the world outside the database, written in the transaction of its cause and deleted when it has
-- happened: ring (until the job is claimed) and purge (until the job's blobs are gone).
CREATE TABLE outbox (
    kind   TEXT    NOT NULL CHECK (kind IN ('ring', 'purge')),
    job_id TEXT    NOT NULL REFERENCES jobs (id),
    queue  TEXT    NOT NULL,
    run    BIGINT  NOT NULL,                                    -- the number to ring with
    due    BIGINT  NOT NULL,                                    -- when the reconciler does it, or does it again
    tries  INTEGER NOT NULL DEFAULT 0,
    PRIMARY KEY (kind, job_id)
);

CREATE INDEX outbox_by_due ON outbox (kind, due);
