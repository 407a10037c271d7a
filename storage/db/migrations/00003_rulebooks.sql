-- The generations of rulebooks: whoever loads others than the last ones adds a row, and the other processes follow it. A job tells
-- which generation has judged its document.
-- +goose Up
CREATE TABLE rulebook_generations (
    number BIGINT PRIMARY KEY,                                -- from 1
    digest TEXT   NOT NULL CHECK (length(digest) = 64),       -- of all rulebooks together, lower-case hex
    loaded BIGINT NOT NULL                                    -- when the first process had loaded it, in milliseconds since 1970
);

ALTER TABLE jobs ADD COLUMN rulebooks_number BIGINT NOT NULL DEFAULT 0;  -- 0: no rulebooks were asked
ALTER TABLE jobs ADD COLUMN rulebooks_digest TEXT   NOT NULL DEFAULT '';
