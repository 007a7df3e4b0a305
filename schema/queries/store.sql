-- The store itself: settings, access tokens, the audit trail, manifests, what a backup and a health check ask.

-- name: access_token_by_id
SELECT id, name, scopes, created_at, expires_at, withdrawn_at, hash FROM access_token WHERE id = $1

-- name: access_tokens
SELECT id, name, scopes, created_at, expires_at, withdrawn_at FROM access_token ORDER BY id

-- name: insert_access_token
INSERT INTO access_token (name, hash, scopes, created_at, expires_at)
VALUES ($1, $2, $3, $4, $5)

-- name: withdraw_access_token
UPDATE access_token SET withdrawn_at = $2 WHERE id = $1 AND withdrawn_at IS NULL

-- name: insert_audit
INSERT INTO audit (at, action, detail) VALUES ($1, $2, $3)

-- name: get_setting
SELECT value FROM setting WHERE key = $1

-- name: put_setting
INSERT INTO setting (key, value) VALUES ($1, $2)
ON CONFLICT (key) DO UPDATE SET value = excluded.value

-- name: delete_setting
DELETE FROM setting WHERE key = $1

-- name: settings_of
SELECT key, value FROM setting WHERE substr(key, 1, length($1)) = $1 ORDER BY key

-- name: delete_manifest
DELETE FROM expected_result WHERE accelerator_model = $1

-- name: manifest_of_model
SELECT suite, model, test, backend FROM expected_result
WHERE accelerator_model = $1
ORDER BY suite, model, test, backend

-- name: manifests
SELECT accelerator_model, count(*) FROM expected_result GROUP BY accelerator_model ORDER BY accelerator_model

-- name: put_expected_result
INSERT OR IGNORE INTO expected_result (accelerator_model, suite, model, test, backend) VALUES ($1, $2, $3, $4, $5)

-- name: all_texts
SELECT hash, byte_count, zstd, bytes FROM text;

-- name: runs_and_newest
SELECT count(*), max(started_at) FROM run

-- name: tables_of_traces
-- Those with rows of a trace, but for dumps.
SELECT m.name
FROM sqlite_schema AS m JOIN pragma_table_info(m.name) AS c
WHERE m.type = 'table' AND m.name LIKE 'trace%' AND c.name = 'trace_id'

-- name: without_secrets
DELETE FROM access_token;
DELETE FROM audit;
DELETE FROM delivery;
DELETE FROM setting WHERE substr(key, 1, length('trace_place')) = 'trace_place';
DELETE FROM orphan_pack;

-- name: newest_ingest
-- What came last, with what was not taken of it.
SELECT path, ingested_at, line_count, rejected FROM ingested_file ORDER BY ingested_at DESC, id DESC LIMIT 1

-- name: newest_run_by_accelerator
-- Of each accelerator model when its newest run began.
SELECT accelerator_model, max(started_at) AS newest FROM run GROUP BY accelerator_model ORDER BY newest DESC, accelerator_model

-- name: main_file
-- The path of the store's file.
SELECT file
FROM pragma_database_list
WHERE name = 'main'
