-- Which deaths of a process a job is blamed for.
-- +goose Up
ALTER TABLE jobs ADD COLUMN alone  BOOLEAN NOT NULL DEFAULT FALSE;  -- the run is the only one in its process, so that its death is the job's doing
ALTER TABLE jobs ADD COLUMN blamed INTEGER NOT NULL DEFAULT 0;      -- runs whose beat died while they were alone, of the crashes
