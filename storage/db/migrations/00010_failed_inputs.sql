-- When the input of a job goes that has not succeeded, before its outcome does. What ended before this goes as a whole.
-- +goose Up
ALTER TABLE jobs ADD COLUMN input_until BIGINT;  -- NULL where the input goes with the rest, or is gone

CREATE INDEX jobs_by_input ON jobs (input_until) WHERE input_until IS NOT NULL;
