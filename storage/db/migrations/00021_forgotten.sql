-- The row of an expired job goes after a while, and counts as stored until then. It counts 0 where the job was accepted before it was counted.
-- +goose Up
ALTER TABLE jobs ADD COLUMN counted BIGINT NOT NULL DEFAULT 0;  -- what the row itself counts as

CREATE INDEX jobs_expired ON jobs (expires) WHERE state = 'expired';

-- Nobody asks for a batch whose jobs were moved.
DELETE FROM batches WHERE moved IS NOT NULL;
