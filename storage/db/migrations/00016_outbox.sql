-- The outbox calls a message that is owed to a queue by its name. What is owed stays owed.
-- +goose Up
ALTER TABLE outbox RENAME TO outbox_before;
DROP INDEX outbox_by_due;

-- What is owed to the world outside the database, written in the transaction of its cause and deleted when it has
-- happened: enqueue (until the subject is claimed) and purge (until the subject's blobs are gone).
CREATE TABLE outbox (
    kind    TEXT    NOT NULL CHECK (kind IN ('enqueue', 'purge')),
    subject TEXT    NOT NULL,                                   -- a job or a delivery
    queue   TEXT    NOT NULL,
    run     BIGINT  NOT NULL,                                   -- the number of the message
    due     BIGINT  NOT NULL,                                   -- when the reconciler does it, or does it again
    tries   INTEGER NOT NULL DEFAULT 0,
    PRIMARY KEY (kind, subject)
);

INSERT INTO outbox (kind, subject, queue, run, due, tries)
    SELECT CASE kind WHEN 'ring' THEN 'enqueue' ELSE kind END, subject, queue, run, due, tries FROM outbox_before;
DROP TABLE outbox_before;
CREATE INDEX outbox_by_due ON outbox (kind, due);
