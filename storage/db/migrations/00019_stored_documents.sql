-- How much of what is stored for an account a document that is sent, or a version of a template, was counted as. It is 0 for those that were stored
-- before they were counted.
-- +goose Up
ALTER TABLE peppol_documents ADD COLUMN counted BIGINT NOT NULL DEFAULT 0;
ALTER TABLE template_versions ADD COLUMN counted BIGINT NOT NULL DEFAULT 0;
