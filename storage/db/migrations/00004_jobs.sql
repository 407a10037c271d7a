-- Jobs of many accounts that take turns, small bytes beside their row, batches; and an outbox that owes for whatever has an id.
-- Times are milliseconds since 1970 in UTC.
-- +goose Up
ALTER TABLE outbox RENAME TO outbox_of_jobs;
DROP INDEX outbox_by_due;

-- What is owed to the world outside the database, written in the transaction of its cause and deleted when it has
-- happened: ring (until the subject is claimed) and purge (until the subject's blobs are gone).
CREATE TABLE outbox (
    kind    TEXT    NOT NULL CHECK (kind IN ('ring', 'purge')),
    subject TEXT    NOT NULL,                                   -- a job or a delivery
    queue   TEXT    NOT NULL,
    run     BIGINT  NOT NULL,                                   -- the number to ring with
    due     BIGINT  NOT NULL,                                   -- when the reconciler does it, or does it again
    tries   INTEGER NOT NULL DEFAULT 0,
    PRIMARY KEY (kind, subject)
);

INSERT INTO outbox (kind, subject, queue, run, due, tries) SELECT kind, job_id, queue, run, due, tries FROM outbox_of_jobs;
DROP TABLE outbox_of_jobs;
CREATE INDEX outbox_by_due ON outbox (kind, due);

ALTER TABLE jobs ADD COLUMN turn        BIGINT  NOT NULL DEFAULT 0;      -- its place among the queued jobs of all accounts, lowest first
ALTER TABLE jobs ADD COLUMN waits_until BIGINT  NOT NULL DEFAULT 0;      -- a queued job is not claimed before
ALTER TABLE jobs ADD COLUMN metadata    TEXT    NOT NULL DEFAULT '';     -- a JSON object of strings; empty without any
ALTER TABLE jobs ADD COLUMN announce    BOOLEAN NOT NULL DEFAULT FALSE;  -- its end is published
ALTER TABLE jobs ADD COLUMN batch_id    TEXT    NOT NULL DEFAULT '';     -- empty for a job of its own
ALTER TABLE jobs ADD COLUMN holds       BOOLEAN NOT NULL DEFAULT FALSE;  -- reservations or an idempotency key may be its own

CREATE INDEX jobs_by_turn ON jobs (queue, turn, id) WHERE state = 'queued' AND crashes = 0;
CREATE INDEX jobs_by_turn_of_account ON jobs (account_id, queue, turn) WHERE state = 'queued';

-- Input and output of jobs that are small; larger ones are blobs. Run 0 is the acceptance.
CREATE TABLE job_data (
    job_id TEXT   NOT NULL,
    run    BIGINT NOT NULL,
    name   TEXT   NOT NULL,
    bytes  BYTEA  NOT NULL,
    PRIMARY KEY (job_id, run, name)
);

-- Jobs that are accepted together. While a batch is open its jobs stand in batch_jobs, where nobody sees them; once it is committed
-- they are moved to jobs, some at a time.
CREATE TABLE batches (
    id         TEXT   PRIMARY KEY,
    account_id TEXT   NOT NULL REFERENCES accounts (id),
    mode       TEXT   NOT NULL CHECK (mode IN ('test', 'live')),
    process    TEXT   NOT NULL,                                 -- that writes it while it is open
    created    BIGINT NOT NULL,
    committed  BIGINT,                                          -- NULL while it is open
    moved      BIGINT,                                          -- when the last of its jobs was moved; NULL before
    jobs       BIGINT NOT NULL DEFAULT 0
);

CREATE INDEX batches_unmoved ON batches (created) WHERE moved IS NULL;

CREATE TABLE batch_jobs (
    batch_id     TEXT    NOT NULL REFERENCES batches (id),
    position     BIGINT  NOT NULL,                              -- in the batch, from 0
    place        BIGINT  NOT NULL,                              -- among the batch's jobs of the same queue, from 0
    job_id       TEXT    NOT NULL UNIQUE,
    key_id       TEXT    NOT NULL,
    request_id   TEXT    NOT NULL,
    kind         TEXT    NOT NULL,
    queue        TEXT    NOT NULL,
    time_limit   BIGINT  NOT NULL,
    metadata     TEXT    NOT NULL,
    announce     BOOLEAN NOT NULL,
    holds        BOOLEAN NOT NULL,
    input_size   BIGINT  NOT NULL,
    input_sha256 TEXT    NOT NULL,
    PRIMARY KEY (batch_id, position)
);
