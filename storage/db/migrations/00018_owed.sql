-- What is owed is asked for by queue, and apart what was not enqueued yet.
-- +goose Up
CREATE INDEX outbox_first ON outbox (queue, due) WHERE kind = 'ring' AND tries = 0;
CREATE INDEX outbox_again ON outbox (queue, due) WHERE kind = 'ring' AND tries > 0;
CREATE INDEX outbox_purges ON outbox (kind, due) WHERE kind = 'purge';
DROP INDEX outbox_by_due;
