-- Lines of results into the store: files, invocations, lines, measurements, texts, and the runs and results made of them.

-- name: delete_file
DELETE FROM ingested_file WHERE id = $1

-- name: delete_rejected_line
DELETE FROM rejected_line WHERE id = $1

-- name: find_complete_file
SELECT id, path, line_count, accepted, duplicate, rejected, ingested_at
FROM ingested_file
WHERE content_hash = $1 AND byte_count = $2 AND complete = 1
  AND (lacks_timestamps = 0 OR fallback_timestamp IS NOT DISTINCT FROM $3)
ORDER BY id DESC
LIMIT 1

-- name: find_experiment
SELECT id, timed, hash FROM experiment WHERE hash IN ($1)

-- name: find_metric
SELECT id, name FROM metric WHERE name IN ($1)

-- name: finish_file
UPDATE ingested_file
SET content_hash = $2, byte_count = $3, line_count = $4, accepted = $5, duplicate = $6, rejected = $7,
    lacks_timestamps = $8, fallback_timestamp = $9, complete = 1
WHERE id = $1

-- name: has_file_of_size
SELECT 1 FROM ingested_file WHERE byte_count = $1 LIMIT 1

-- name: insert_experiment
INSERT INTO experiment (hash, family, suite, model, test, backend, accelerator, accelerator_model,
                        batch_size, xla, xla_flags, dynamo, torch_xla2, flags, timed)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, 0)

-- name: insert_file
INSERT INTO ingested_file (path, content_hash, byte_count, line_count, accepted, duplicate, rejected,
                           ingested_at, lacks_timestamps, complete)
VALUES ($1, $2, 0, 0, 0, 0, 0, $3, 0, 0)

-- name: insert_metric
INSERT INTO metric (name) VALUES ($1)

-- name: insert_rejected_line
INSERT INTO rejected_line (file_id, path, line_number, byte_offset, byte_count, hash, retriable,
                           reason, text_id)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)
ON CONFLICT (path, byte_offset, hash) DO NOTHING

-- name: is_invocation_pruned
SELECT 1 FROM pruned_invocation WHERE accelerator_model = $1 AND timestamp = $2

-- name: last_line_id
SELECT max(id) FROM line

-- name: mark_timed
UPDATE experiment SET timed = 1 WHERE id = $1

-- name: pruned_rejections_of_path
SELECT byte_offset, hash FROM rejected_line WHERE path = $1 AND pruned_at IS NOT NULL

-- name: put_invocation_label
INSERT INTO invocation_label (invocation_id, key, value) VALUES ($1, $2, $3)
ON CONFLICT (invocation_id, key) DO UPDATE SET value = excluded.value

-- name: retriable_of_path
SELECT id, byte_offset, hash, text_id, byte_count FROM rejected_line WHERE path = $1 AND retriable = 1

-- name: run_name_of_invocation
SELECT r.name FROM invocation AS i JOIN run AS r ON r.id = i.run_id WHERE i.id = $1

-- name: find_text
SELECT id, hash FROM text WHERE hash IN ($1)

-- name: insert_text
INSERT INTO text (hash, byte_count, zstd, bytes) VALUES ($1, $2, $3, $4)

-- name: insert_line
INSERT INTO line (id, invocation_id, experiment_id, hash, file_id, line_number, byte_offset, timed,
                  repeat, iterations_per_run, code, mean_rel_error, error_id, extra, per_iter_time,
                  total_time, xla_compile_time)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17)

-- name: insert_measurement
INSERT INTO measurement (line_id, metric_id, shape, n, median, mean, min, max, samples, text_id)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)

-- name: add_invocation_flags
UPDATE invocation
SET has_timing = CASE WHEN $2 = 1 THEN 1 ELSE has_timing END,
    has_verdict = CASE WHEN $3 = 1 THEN 1 ELSE has_verdict END
WHERE id = $1

-- name: copy_invocation
INSERT INTO invocation (accelerator_model, timestamp, run_name, has_timing, has_verdict)
SELECT accelerator_model, timestamp, run_name, 0, 0 FROM invocation WHERE id = $1

-- name: copy_invocation_labels
INSERT INTO invocation_label (invocation_id, key, value)
SELECT $2, key, value FROM invocation_label WHERE invocation_id = $1

-- name: copy_line
INSERT INTO line (id, invocation_id, experiment_id, hash, file_id, line_number, byte_offset, timed,
                  repeat, iterations_per_run, code, mean_rel_error, error_id, extra, per_iter_time,
                  total_time, xla_compile_time)
SELECT $2, $3, experiment_id, hash, $4, $5, $6, timed, repeat, iterations_per_run, code,
       mean_rel_error, error_id, extra, per_iter_time, total_time, xla_compile_time
FROM line WHERE id = $1

-- name: copy_measurements
INSERT INTO measurement (line_id, metric_id, shape, n, median, mean, min, max, samples, text_id)
SELECT $2, metric_id, shape, n, median, mean, min, max, samples, text_id
FROM measurement WHERE line_id = $1

-- name: delete_invocation
DELETE FROM invocation WHERE id = $1

-- name: find_line
SELECT id FROM line WHERE invocation_id = $1 AND experiment_id = $2 AND hash = $3

-- name: insert_invocation
INSERT INTO invocation (accelerator_model, timestamp, run_name, has_timing, has_verdict)
VALUES ($1, $2, $3, 0, 0)

-- name: invocations_at
SELECT i.id, i.has_timing, i.has_verdict,
       (SELECT count(*) FROM line AS l WHERE l.invocation_id = i.id)
FROM invocation AS i
WHERE i.accelerator_model = $1 AND i.timestamp = $2
ORDER BY EXISTS (SELECT 1 FROM invocation_file AS f JOIN ingested_file AS g ON g.id = f.file_id
                 WHERE f.invocation_id = i.id AND g.path = $3) DESC, i.id

-- name: is_invocation_of_path
SELECT 1
FROM invocation_file AS i JOIN ingested_file AS f ON f.id = i.file_id
WHERE i.invocation_id = $1 AND f.path = $2
LIMIT 1

-- name: move_line
UPDATE line SET invocation_id = $2 WHERE id = $1

-- name: move_lines
UPDATE line SET invocation_id = $2 WHERE invocation_id = $1

-- name: recount_invocation_flags
UPDATE invocation
SET has_timing = CASE WHEN EXISTS (SELECT 1 FROM line WHERE invocation_id = $1 AND timed = 1)
                 THEN 1 ELSE 0 END,
    has_verdict = CASE WHEN EXISTS (SELECT 1 FROM line WHERE invocation_id = $1
                                    AND code NOT IN ('VERIFIER_SKIPPED', 'VERIFIER_DIDNT_RUN'))
                  THEN 1 ELSE 0 END
WHERE id = $1

-- name: accelerator_models_of_invocations
SELECT DISTINCT accelerator_model FROM invocation ORDER BY accelerator_model

-- name: all_run_ids
SELECT id FROM run ORDER BY id

-- name: count_lines_of_run
SELECT count(*) FROM invocation AS i JOIN line AS l ON l.invocation_id = i.id WHERE i.run_id = $1

-- name: delete_all_results
DELETE FROM result

-- name: delete_empty_runs
DELETE FROM run WHERE id NOT IN (SELECT run_id FROM invocation WHERE run_id IS NOT NULL)

-- name: delete_invocation_files_of_run
DELETE FROM invocation_file
WHERE invocation_id IN (SELECT id FROM invocation WHERE run_id = $1)

-- name: delete_results_of_run
DELETE FROM result WHERE run_id = $1

-- name: delete_run
DELETE FROM run WHERE id = $1

-- name: experiment_family
SELECT family, batch_size, id FROM experiment WHERE id IN ($1)

-- name: insert_invocation_file
INSERT INTO invocation_file (invocation_id, file_id, line_count) VALUES ($1, $2, $3)

-- name: insert_result
INSERT INTO result (run_id, experiment_id, started_at, timing_line_id, failure_line_id,
                    verification_line_id, verified_at, code, timing_shared, verification_shared,
                    profiled_line_id)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)

-- name: insert_run
INSERT INTO run (accelerator_model, name, started_at, verified_at, result_count, revision)
VALUES ($1, $2, $3, $4, 0, 0)

-- name: invocations_of_model
SELECT id, timestamp, run_name, has_timing, has_verdict, run_id
FROM invocation WHERE accelerator_model = $1 ORDER BY timestamp, id

-- name: lines_of_families
SELECT l.id, l.experiment_id, l.timed, l.code, i.timestamp, i.has_timing, i.has_verdict, i.id,
       l.file_id, l.line_number
FROM invocation AS i
CROSS JOIN line AS l ON l.invocation_id = i.id
CROSS JOIN experiment AS e ON e.id = l.experiment_id
WHERE i.run_id = $1 AND e.family >= $2 AND ($3 IS NULL OR e.family < $3)
  AND (e.id % $4 = $5 OR (e.batch_size IS NULL AND l.timed = 0))

-- name: lines_of_run
SELECT l.id, l.experiment_id, l.timed, l.code, i.timestamp, i.has_timing, i.has_verdict, i.id,
       l.file_id, l.line_number
FROM invocation AS i JOIN line AS l ON l.invocation_id = i.id
WHERE i.run_id = $1

-- name: move_invocation
UPDATE invocation SET run_id = $2 WHERE id = $1

-- name: run_of_invocation
SELECT run_id FROM invocation WHERE id = $1 AND run_id IS NOT NULL

-- name: run_start
SELECT started_at FROM run WHERE id = $1

-- name: runs_of_model
SELECT id, name, started_at, verified_at FROM run WHERE accelerator_model = $1

-- name: invocation_of_result
SELECT DISTINCT i.id
FROM experiment AS e
JOIN invocation AS i ON i.accelerator_model = e.accelerator_model AND i.timestamp = $2
WHERE e.hash = $1

-- name: profiled_lines_of_run
-- Lines are gone through only where XLA's profiler left anything at all. What is older than an
-- invocation was left by an earlier one in the same folder.
SELECT l.id
FROM invocation AS i
CROSS JOIN line AS l ON l.invocation_id = i.id
CROSS JOIN experiment AS e ON e.id = l.experiment_id
WHERE i.run_id = $1 AND l.timed = 1
  AND EXISTS (SELECT 1 FROM artifact INDEXED BY artifact_of_xla_profiler
              WHERE name LIKE '%/xla-profile/%')
  AND EXISTS (SELECT 1
              FROM artifact_tie AS t
              JOIN artifact AS a ON a.id = t.artifact_id
              JOIN artifact_file AS f ON f.artifact_id = a.id
              WHERE t.experiment = e.hash AND t.timestamp = i.timestamp
                AND a.name LIKE '%/xla-profile/%' AND f.modified_ns >= i.timestamp * 1e9)

-- name: timed_experiments_of_family
SELECT id, family FROM experiment WHERE family IN ($1) AND timed = 1 ORDER BY id

-- name: timed_experiments_in_run
SELECT DISTINCT e.id
FROM invocation AS i
CROSS JOIN line AS l ON l.invocation_id = i.id
CROSS JOIN experiment AS e ON e.id = l.experiment_id
WHERE i.run_id = $1 AND l.timed = 1 AND e.family = $2
LIMIT $3

-- name: untimed_runs_of_family
SELECT r.run_id
FROM experiment AS e JOIN result AS r ON r.experiment_id = e.id
WHERE e.family = $1
GROUP BY r.run_id
HAVING count(r.timing_line_id) = 0

-- name: update_run_results
UPDATE run SET result_count = $2, revision = $3 WHERE id = $1

-- name: update_run_times
UPDATE run SET started_at = $2, verified_at = $3 WHERE id = $1
