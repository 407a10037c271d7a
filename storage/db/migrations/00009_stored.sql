-- How many bytes of requests are stored for each account.
-- +goose Up
-- The sum over the parts is what is stored; there are several, so that transactions of one account need not wait for each other.
CREATE TABLE stored_inputs (
    account_id TEXT    NOT NULL REFERENCES accounts (id),
    part       INTEGER NOT NULL,
    bytes      BIGINT  NOT NULL,                                -- of one part it may be negative
    PRIMARY KEY (account_id, part)
);

INSERT INTO stored_inputs (account_id, part, bytes) SELECT account_id, 0, sum(size) FROM (
    SELECT account_id, input_size AS size FROM jobs WHERE state <> 'expired'
    UNION ALL SELECT b.account_id, e.input_size FROM batch_jobs e JOIN batches b ON b.id = e.batch_id) AS inputs GROUP BY account_id;
