-- What an answer that is kept for its idempotency key takes, and whose room that is. It is 0 as long as there is no answer, and for those that were
-- kept before they were counted.
-- +goose Up
ALTER TABLE idempotency_keys ADD COLUMN account_id TEXT NOT NULL DEFAULT '';
ALTER TABLE idempotency_keys ADD COLUMN bytes BIGINT NOT NULL DEFAULT 0;
