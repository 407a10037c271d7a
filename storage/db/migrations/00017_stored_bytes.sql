-- What deliveries to webhooks take with their events and attempts, and that what jobs have made counts as stored beside what they were asked with.
-- It is 0 for deliveries that were written before they were counted.
-- +goose Up
ALTER TABLE webhook_deliveries ADD COLUMN bytes BIGINT NOT NULL DEFAULT 0;

INSERT INTO stored_inputs (account_id, part, bytes)
    SELECT account_id, 0, CAST(sum(answer_size + artifact_size) AS BIGINT) FROM jobs WHERE state IN ('succeeded', 'failed') GROUP BY account_id
    ON CONFLICT (account_id, part) DO UPDATE SET bytes = stored_inputs.bytes + excluded.bytes;
