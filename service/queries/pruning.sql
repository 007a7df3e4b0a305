-- What takes out what is old, and what is remembered of it.

-- name: count_pruned
SELECT (SELECT count(*) FROM pruned_invocation),
       (SELECT count(*) FROM artifact WHERE pruned_at IS NOT NULL),
       (SELECT count(*) FROM rejected_line WHERE pruned_at IS NOT NULL)

-- name: forget_pruned
UPDATE ingested_file SET complete = 0;
DELETE FROM pruned_invocation;
DELETE FROM rejected_line WHERE pruned_at IS NOT NULL;
DELETE FROM artifact_file WHERE artifact_id IN (SELECT id FROM artifact WHERE pruned_at IS NOT NULL);
DELETE FROM artifact_tie WHERE artifact_id IN (SELECT id FROM artifact WHERE pruned_at IS NOT NULL);
DELETE FROM artifact WHERE pruned_at IS NOT NULL

-- name: nights_before
-- The nth run on an accelerator model that began at that time or before, counted back from 0.
SELECT started_at FROM run WHERE accelerator_model = $1 AND started_at <= $2
ORDER BY started_at DESC LIMIT 1 OFFSET $3

-- name: prunable_artifacts
-- Dumps of before a time, by the newest result that they belong to; orphans by when they came.
WITH dated AS (
  SELECT a.id, a.kind, a.name, a.byte_count, a.trace_id,
         coalesce((SELECT max(t.timestamp) FROM artifact_tie AS t WHERE t.artifact_id = a.id), a.ingested_at) AS at
  FROM artifact AS a
  WHERE a.pruned_at IS NULL
)
SELECT d.id, d.kind, d.name, d.byte_count, d.at,
       (SELECT count(*) FROM trace AS x JOIN trace_note AS n ON n.content_hash = x.content_hash WHERE x.id = d.trace_id)
FROM dated AS d
WHERE d.at < $1
ORDER BY d.at, d.id

-- name: prunable_runs
SELECT id, accelerator_model, name, started_at, result_count
FROM run
WHERE started_at < $1 AND coalesce(verified_at, started_at) < $1
ORDER BY started_at, id

-- name: prune_artifact
UPDATE artifact
SET pruned_at = $2, error = $3, text_id = NULL, trace_id = NULL, report_id = NULL
WHERE id = $1

-- name: prune_rejected_lines
UPDATE rejected_line
SET pruned_at = $2, text_id = $3
WHERE pruned_at IS NULL AND file_id IN (SELECT id FROM ingested_file WHERE ingested_at < $1)

-- name: put_pruned_invocations_of_run
INSERT INTO pruned_invocation (accelerator_model, timestamp, pruned_at)
SELECT DISTINCT accelerator_model, timestamp, $2 FROM invocation WHERE run_id = $1
ON CONFLICT (accelerator_model, timestamp) DO NOTHING
