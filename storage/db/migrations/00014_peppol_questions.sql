-- Peppol: when the provider of a sent transmission is to be asked what became of it. Times are milliseconds since 1970 in UTC.
-- +goose Up
ALTER TABLE peppol_transmissions ADD COLUMN asked INTEGER NOT NULL DEFAULT 0;  -- how often the provider was asked, since it was sent
ALTER TABLE peppol_transmissions ADD COLUMN ask_at BIGINT;                     -- when it is to be asked next; null: not at all
ALTER TABLE peppol_transmissions ADD COLUMN ask_since BIGINT;                  -- when it was sent last, where the provider is asked

CREATE INDEX peppol_transmissions_to_ask ON peppol_transmissions (ask_at) WHERE ask_at IS NOT NULL;
