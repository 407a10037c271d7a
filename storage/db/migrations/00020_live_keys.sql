-- Live keys apart from revoked ones: who makes and revokes very many keys must not make the look-ups of all others long.
-- +goose Up
CREATE INDEX api_keys_live ON api_keys (lookup, sha256) WHERE revoked IS NULL;
CREATE INDEX api_keys_live_of_owner ON api_keys (account_id, mode, id) WHERE revoked IS NULL;
CREATE INDEX api_keys_revoked_of_owner ON api_keys (account_id, mode, revoked, id) WHERE revoked IS NOT NULL;
CREATE INDEX api_keys_of_owner ON api_keys (account_id, mode, id);
DROP INDEX api_keys_of_account;

-- The superseded secret of a key goes with its revocation.
DELETE FROM superseded_secrets WHERE key_id IN (SELECT id FROM api_keys WHERE revoked IS NOT NULL);
