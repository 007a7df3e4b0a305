-- Dumps beside the results, and the results that they belong to.

-- name: artifacts_of_content
SELECT a.id, EXISTS (SELECT 1 FROM artifact_tie AS t WHERE t.artifact_id = a.id), a.problem_count, a.error,
       a.pruned_at IS NOT NULL
FROM artifact AS a
WHERE a.name = $1 AND a.content_hash = $2 AND a.kind = $3
ORDER BY a.id

-- name: find_unchanged_artifact
SELECT a.id, EXISTS (SELECT 1 FROM artifact_tie AS t WHERE t.artifact_id = a.id), a.problem_count, a.error,
       a.pruned_at IS NOT NULL
FROM artifact_file AS f
JOIN artifact AS a ON a.id = f.artifact_id
WHERE f.path = $1 AND f.disk_size = $2 AND f.modified_ns = $3

-- name: has_artifact_tie
SELECT 1 FROM artifact_tie WHERE artifact_id = $1 AND experiment = $2 AND timestamp = $3

-- name: insert_artifact
INSERT INTO artifact (kind, name, path, base, model, repetition, part, content_hash, byte_count,
                      ingested_at, problem_count, error, text_id, trace_id, report_id)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15)

-- name: insert_artifact_tie
INSERT INTO artifact_tie (artifact_id, experiment, timestamp) VALUES ($1, $2, $3)
ON CONFLICT DO NOTHING

-- name: key_of_result
SELECT e.hash, i.timestamp
FROM invocation AS i
JOIN line AS l ON l.invocation_id = i.id
JOIN experiment AS e ON e.id = l.experiment_id
JOIN experiment AS asked ON asked.family = e.family
LEFT JOIN result AS r ON r.run_id = $1 AND r.experiment_id = $2
WHERE i.run_id = $1 AND asked.id = $2 AND (e.id = asked.id OR e.batch_size IS NULL)
ORDER BY l.id = r.timing_line_id DESC, l.timed DESC, i.timestamp DESC, l.id DESC
LIMIT 1

-- name: delete_artifact
DELETE FROM artifact WHERE id = $1

-- name: delete_artifact_files
DELETE FROM artifact_file WHERE artifact_id = $1

-- name: delete_artifact_ties
DELETE FROM artifact_tie WHERE artifact_id = $1

-- name: put_artifact_file
INSERT OR REPLACE INTO artifact_file (path, artifact_id, disk_size, modified_ns) VALUES ($1, $2, $3, $4)

-- name: digest_of_trace
SELECT (SELECT report_id FROM artifact WHERE trace_id = $1 AND report_id IS NOT NULL ORDER BY id DESC LIMIT 1)

-- name: set_artifact_report
UPDATE artifact SET report_id = $2 WHERE id = $1

-- name: timestamps_of_artifact
SELECT DISTINCT timestamp FROM artifact_tie WHERE artifact_id = $1

-- name: artifact_by_id
SELECT id, kind, name, path, base, model, repetition, part, content_hash, byte_count, ingested_at,
       problem_count, error, text_id, trace_id, report_id
FROM artifact
WHERE id = $1

-- name: artifact_names_after
SELECT id, kind, name, ingested_at
FROM artifact
WHERE id > $1 AND pruned_at IS NULL
ORDER BY id DESC
LIMIT $2

-- name: artifacts_before
SELECT id, kind, name, path, base, model, repetition, part, content_hash, byte_count, ingested_at,
       problem_count, error, text_id, trace_id, report_id
FROM artifact
WHERE id < $1 AND pruned_at IS NULL AND ($2 IS NULL OR kind = $2)
ORDER BY id DESC

-- name: artifacts_of_result
SELECT DISTINCT a.id, a.kind, a.name, a.path, a.base, a.model, a.repetition, a.part, a.content_hash,
       a.byte_count, a.ingested_at, a.problem_count, a.error, a.text_id, a.trace_id, a.report_id
FROM experiment AS asked
JOIN experiment AS e ON e.family = asked.family AND (e.id = asked.id OR e.batch_size IS NULL)
JOIN artifact_tie AS t ON t.experiment = e.hash
JOIN invocation AS i ON i.timestamp = t.timestamp AND i.accelerator_model = e.accelerator_model
  AND i.run_id = $3
JOIN artifact AS a ON a.id = t.artifact_id
WHERE asked.id = $4 AND a.id < $1 AND ($2 IS NULL OR a.kind = $2)
ORDER BY a.id DESC

-- name: artifacts_of_run
SELECT DISTINCT a.id, a.kind, a.name, a.path, a.base, a.model, a.repetition, a.part, a.content_hash,
       a.byte_count, a.ingested_at, a.problem_count, a.error, a.text_id, a.trace_id, a.report_id
FROM invocation AS i
JOIN line AS l ON l.invocation_id = i.id
JOIN experiment AS e ON e.id = l.experiment_id
JOIN artifact_tie AS t ON t.experiment = e.hash AND t.timestamp = i.timestamp
JOIN artifact AS a ON a.id = t.artifact_id
WHERE i.run_id = $3 AND a.id < $1 AND ($2 IS NULL OR a.kind = $2)
ORDER BY a.id DESC

-- name: count_artifacts
SELECT count(*) FROM artifact WHERE pruned_at IS NULL AND ($1 IS NULL OR kind = $1)

-- name: is_artifact_superseded
SELECT 1
FROM artifact AS a
JOIN artifact_tie AS t ON t.artifact_id = a.id
JOIN artifact_tie AS other ON other.experiment = t.experiment AND other.timestamp = t.timestamp
  AND other.artifact_id > a.id
JOIN artifact AS b ON b.id = other.artifact_id AND b.name = a.name
WHERE a.id = $1
LIMIT 1

-- name: orphaned_artifacts
SELECT a.id, a.kind, a.name, a.path, a.base, a.model, a.repetition, a.part, a.content_hash,
       a.byte_count, a.ingested_at, a.problem_count, a.error, a.text_id, a.trace_id, a.report_id
FROM artifact AS a
WHERE a.id < $1 AND a.pruned_at IS NULL AND ($2 IS NULL OR a.kind = $2) AND NOT EXISTS (
  SELECT 1
  FROM artifact_tie AS t
  JOIN experiment AS e ON e.hash = t.experiment
  JOIN invocation AS i ON i.timestamp = t.timestamp AND i.accelerator_model = e.accelerator_model
  JOIN line AS l ON l.invocation_id = i.id AND l.experiment_id = e.id
  WHERE t.artifact_id = a.id)
ORDER BY a.id DESC

-- name: profiled_repetitions
SELECT DISTINCT a.repetition
FROM experiment AS asked
JOIN experiment AS e ON e.family = asked.family AND (e.id = asked.id OR e.batch_size IS NULL)
JOIN artifact_tie AS t ON t.experiment = e.hash
JOIN invocation AS i ON i.timestamp = t.timestamp AND i.accelerator_model = e.accelerator_model
  AND i.run_id = $1
JOIN artifact AS a ON a.id = t.artifact_id
WHERE asked.id = $2 AND a.kind IN ('trace', 'operator_table') AND a.repetition IS NOT NULL
  AND a.pruned_at IS NULL
ORDER BY a.repetition

-- name: results_of_artifact
SELECT DISTINCT r.run_id, r.experiment_id
FROM artifact_tie AS t
JOIN experiment AS e ON e.hash = t.experiment
JOIN invocation AS i ON i.timestamp = t.timestamp AND i.accelerator_model = e.accelerator_model
JOIN experiment AS member ON member.family = e.family
  AND (member.id = e.id OR e.batch_size IS NULL)
JOIN result AS r ON r.run_id = i.run_id AND r.experiment_id = member.id
WHERE t.artifact_id = $1
ORDER BY r.run_id, r.experiment_id

-- name: runs_with_artifacts
SELECT r.run_id
FROM result AS r
JOIN experiment AS asked ON asked.id = r.experiment_id
WHERE r.experiment_id = $1 AND ($2 IS NULL OR r.run_id = $2) AND EXISTS (
  SELECT 1
  FROM invocation AS i
  JOIN experiment AS e ON e.family = asked.family AND (e.id = asked.id OR e.batch_size IS NULL)
    AND e.accelerator_model = i.accelerator_model
  JOIN artifact_tie AS t ON t.experiment = e.hash AND t.timestamp = i.timestamp
  WHERE i.run_id = r.run_id)
