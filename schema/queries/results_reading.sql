-- Runs, results, lines and ingests, as they are asked for.

-- name: accelerator_models_of_runs
SELECT accelerator_model FROM run GROUP BY accelerator_model
ORDER BY max(started_at) DESC, accelerator_model

-- name: experiment_by_id
SELECT id, suite, model, test, accelerator, accelerator_model, batch_size, xla, xla_flags, dynamo,
       torch_xla2, flags, timed
FROM experiment WHERE id = $1

-- name: experiments_after
SELECT id, suite, model, test, accelerator, accelerator_model, batch_size, xla, xla_flags, dynamo,
       torch_xla2, flags, timed
FROM experiment WHERE id > $1 ORDER BY id

-- name: experiments_of_workload
SELECT id, suite, model, test, accelerator, accelerator_model, batch_size, xla, xla_flags, dynamo,
       torch_xla2, flags, timed
FROM experiment INDEXED BY experiment_by_model
WHERE suite = $1 AND model = $2 AND test = $3 AND (backend = $4) = $5

-- name: failures_of_run
SELECT f.error_id, f.code, count(*)
FROM result AS r JOIN line AS f ON f.id = r.failure_line_id
WHERE r.run_id = $1 AND r.timing_line_id IS NULL AND r.code IS NOT $2
GROUP BY f.error_id, f.code

-- name: files_of_invocations
SELECT i.invocation_id, f.path, sum(i.line_count)
FROM invocation AS of_run
JOIN invocation_file AS i ON i.invocation_id = of_run.id
JOIN ingested_file AS f ON f.id = i.file_id
WHERE of_run.run_id = $1 GROUP BY i.invocation_id, f.path ORDER BY min(f.id)

-- name: first_timed_runs
SELECT run_id FROM result
WHERE experiment_id = $1 AND timing_line_id IS NOT NULL
ORDER BY started_at, run_id
LIMIT $2

-- name: labels_of_invocations
SELECT i.run_id, l.key, l.value
FROM invocation AS i JOIN invocation_label AS l ON l.invocation_id = i.id
WHERE i.run_id IN ($1)
ORDER BY i.run_id, i.has_timing, i.timestamp, i.id

-- name: labels_of_runs
SELECT r.id, l.key, l.value
FROM run AS r JOIN run_label AS l ON l.accelerator_model = r.accelerator_model AND l.name = r.name
WHERE r.id IN ($1)

-- name: last_runs
SELECT id, (SELECT max(started_at) FROM result WHERE experiment_id = e.id)
FROM experiment AS e WHERE id IN ($1)

-- name: revision
SELECT CAST(value AS BIGINT) FROM setting WHERE key = 'revision'

-- name: run_by_id
SELECT id, accelerator_model, name, started_at, verified_at, result_count, revision
FROM run WHERE id = $1

-- name: runs_by_time
SELECT id, accelerator_model, name, started_at, verified_at, result_count, revision
FROM run
WHERE started_at >= $1 AND (started_at < $2 OR (started_at = $2 AND id < $3))
ORDER BY started_at DESC, id DESC

-- name: store_info
SELECT CAST(coalesce((SELECT value FROM setting WHERE key = 'revision'), '0') AS BIGINT),
       (SELECT count(*) FROM run),
       (SELECT coalesce(sum(result_count), 0) FROM run),
       (SELECT count(*) FROM rejected_line),
       (SELECT max(started_at) FROM run)

-- name: timed_of_run
SELECT count(timing_line_id) FROM result WHERE run_id = $1

-- name: workloads
SELECT DISTINCT suite, model, test FROM experiment INDEXED BY experiment_by_model
ORDER BY suite, model, test

-- name: count_results
SELECT count(*) FROM result WHERE experiment_id = $1 AND started_at >= $2 AND started_at < $3

-- name: last_verification
-- Named, because the planner takes result_series, which has to be searched for a verification.
SELECT run_id, verified_at, code
FROM result INDEXED BY result_verified
WHERE experiment_id = $1 AND started_at < $2 AND verification_line_id IS NOT NULL
ORDER BY started_at DESC
LIMIT 1

-- name: last_verifications
SELECT v.experiment_id, v.run_id, v.verified_at, v.code
FROM experiment AS e
JOIN result AS v ON v.experiment_id = e.id AND v.run_id = (
  SELECT run_id FROM result INDEXED BY result_verified
  WHERE experiment_id = e.id AND started_at < $1 AND verification_line_id IS NOT NULL
  ORDER BY started_at DESC
  LIMIT 1)
WHERE e.id IN ($2)

-- name: last_verifications_of_run
-- Of what a run did not verify; without what the run $3 did.
SELECT v.experiment_id, v.run_id, v.verified_at, v.code
FROM result AS r
JOIN result AS v ON v.experiment_id = r.experiment_id AND v.run_id = (
  SELECT run_id FROM result INDEXED BY result_verified
  WHERE experiment_id = r.experiment_id AND started_at < $2 AND verification_line_id IS NOT NULL
  ORDER BY started_at DESC
  LIMIT 1)
WHERE r.run_id = $1 AND r.verification_line_id IS NULL
  AND NOT EXISTS (SELECT 1 FROM result AS known
                  WHERE known.run_id = $3 AND known.experiment_id = r.experiment_id
                    AND known.verification_line_id IS NOT NULL)
ORDER BY r.experiment_id

-- name: line_by_id
SELECT l.id, l.invocation_id, l.experiment_id, i.has_timing, i.has_verdict, i.timestamp, f.path,
       l.line_number, l.byte_offset, l.timed, l.code, l.mean_rel_error, l.error_id, l.extra
FROM line AS l
JOIN invocation AS i ON i.id = l.invocation_id
JOIN ingested_file AS f ON f.id = l.file_id
WHERE l.id = $1

-- name: lines_of_result
SELECT l.id, l.invocation_id, l.experiment_id, i.has_timing, i.has_verdict, i.timestamp, f.path,
       l.line_number, l.byte_offset, l.timed, l.code, l.mean_rel_error, l.error_id, l.extra
FROM invocation AS i
JOIN line AS l ON l.invocation_id = i.id
JOIN ingested_file AS f ON f.id = l.file_id
WHERE i.run_id = $1
  AND l.experiment_id IN (
    SELECT member.id FROM experiment AS member
    JOIN experiment AS asked ON asked.family = member.family
    WHERE asked.id = $2 AND (member.id = asked.id OR member.batch_size IS NULL))
ORDER BY i.timestamp, l.id

-- name: replay
SELECT i.timestamp, l.experiment_id, l.total_time
FROM line AS l
JOIN invocation AS i ON i.id = l.invocation_id
ORDER BY l.id

-- name: result_by_id
SELECT run_id, experiment_id, started_at, timing_line_id, timing_shared, repeat, iterations_per_run,
       per_iter_time, total_time, xla_compile_time, failure_line_id, failure_error_id, failure_code,
       verification_line_id, verified_at, code, verification_shared, verification_error_id,
       profiled_line_id
FROM result_facts
WHERE run_id = $1 AND experiment_id = $2

-- name: results_of_experiments
SELECT run_id, experiment_id, started_at, timing_line_id, timing_shared, repeat, iterations_per_run,
       per_iter_time, total_time, xla_compile_time, failure_line_id, failure_error_id, failure_code,
       verification_line_id, verified_at, code, verification_shared, verification_error_id,
       profiled_line_id
FROM result_facts
WHERE experiment_id IN ($3) AND started_at >= $1 AND started_at <= $2
ORDER BY experiment_id, started_at, run_id

-- name: results_of_experiments_without_samples
SELECT r.run_id, r.experiment_id, r.started_at, r.timing_line_id, r.timing_shared, NULL, NULL, NULL,
       NULL, NULL, r.failure_line_id, f.error_id, f.code, r.verification_line_id, r.verified_at,
       r.code, r.verification_shared, v.error_id, r.profiled_line_id
FROM result AS r
LEFT JOIN line AS f ON f.id = r.failure_line_id
LEFT JOIN line AS v ON v.id = r.verification_line_id
WHERE r.experiment_id IN ($3) AND r.started_at >= $1 AND r.started_at <= $2
ORDER BY r.experiment_id, r.started_at, r.run_id

-- name: results_of_run
SELECT run_id, experiment_id, started_at, timing_line_id, timing_shared, repeat, iterations_per_run,
       per_iter_time, total_time, xla_compile_time, failure_line_id, failure_error_id, failure_code,
       verification_line_id, verified_at, code, verification_shared, verification_error_id,
       profiled_line_id
FROM result_facts
WHERE run_id = $1
ORDER BY experiment_id

-- name: results_of_run_without_samples
SELECT r.run_id, r.experiment_id, r.started_at, r.timing_line_id, r.timing_shared, NULL, NULL, NULL,
       NULL, NULL, r.failure_line_id, f.error_id, f.code, r.verification_line_id, r.verified_at,
       r.code, r.verification_shared, v.error_id, r.profiled_line_id
FROM result AS r
LEFT JOIN line AS f ON f.id = r.failure_line_id
LEFT JOIN line AS v ON v.id = r.verification_line_id
WHERE r.run_id = $1
ORDER BY r.experiment_id

-- name: samples_of_experiment
SELECT r.run_id,
       CASE $4
         WHEN 'per_iter_time' THEN l.per_iter_time
         WHEN 'total_time' THEN l.total_time
         WHEN 'xla_CompileTime_time_s' THEN l.xla_compile_time
         ELSE (SELECT samples FROM measurement
               WHERE line_id = l.id AND metric_id = (SELECT id FROM metric WHERE name = $4))
       END
FROM result AS r
JOIN line AS l ON l.id = r.timing_line_id
WHERE r.experiment_id = $1 AND r.started_at >= $2 AND r.started_at <= $3
ORDER BY r.started_at, r.run_id

-- name: verifications_before
SELECT experiment_id, run_id, verified_at, code
FROM result
WHERE run_id = (SELECT id FROM run
                WHERE accelerator_model = $1 AND started_at < $2 AND verified_at IS NOT NULL
                ORDER BY started_at DESC, id DESC LIMIT 1)
  AND verification_line_id IS NOT NULL
ORDER BY experiment_id

-- name: count_ingests
SELECT count(*) FROM ingested_file

-- name: count_pruned_rejections_of_file
SELECT count(*) FROM rejected_line WHERE file_id = $1 AND pruned_at IS NOT NULL

-- name: count_rejected
SELECT count(*) FROM rejected_line WHERE pruned_at IS NULL

-- name: count_rejected_of_file
SELECT count(*) FROM rejected_line WHERE file_id = $1 AND pruned_at IS NULL

-- name: ingest_by_id
SELECT id, path, content_hash, byte_count, line_count, accepted, duplicate, rejected, ingested_at
FROM ingested_file
WHERE id = $1

-- name: ingests_before
SELECT id, path, content_hash, byte_count, line_count, accepted, duplicate, rejected, ingested_at
FROM ingested_file
WHERE id < $1 ORDER BY id DESC LIMIT $2

-- name: rejected_lines_before
SELECT r.id, r.file_id, r.path, r.line_number, r.byte_offset, r.byte_count, r.reason, f.ingested_at,
       x.bytes, x.zstd, x.byte_count
FROM rejected_line AS r
JOIN ingested_file AS f ON f.id = r.file_id
JOIN text AS x ON x.id = r.text_id
WHERE r.id < $1 AND r.pruned_at IS NULL
ORDER BY r.id DESC LIMIT $2

-- name: rejected_lines_of_file
SELECT r.id, r.file_id, r.path, r.line_number, r.byte_offset, r.byte_count, r.reason, f.ingested_at,
       x.bytes, x.zstd, x.byte_count
FROM rejected_line AS r
JOIN ingested_file AS f ON f.id = r.file_id
JOIN text AS x ON x.id = r.text_id
WHERE r.id < $1 AND r.pruned_at IS NULL AND r.file_id = $3
ORDER BY r.id DESC LIMIT $2

-- name: runs_of_ingest
SELECT DISTINCT i.run_id
FROM invocation_file AS f JOIN invocation AS i ON i.id = f.invocation_id
WHERE f.file_id = $1 AND i.run_id IS NOT NULL
ORDER BY i.run_id

-- name: text_by_id
SELECT bytes, zstd, byte_count, hash FROM text WHERE id = $1

-- name: texts_by_id
SELECT bytes, zstd, byte_count, hash, id FROM text WHERE id IN ($1)

-- name: error_texts_of_run
-- What a run's results tell of failures and verifications, each once.
SELECT bytes, zstd, byte_count, hash, id FROM text
WHERE id IN (SELECT f.error_id FROM result AS r JOIN line AS f ON f.id = r.failure_line_id WHERE r.run_id = $1
             UNION
             SELECT v.error_id FROM result AS r JOIN line AS v ON v.id = r.verification_line_id WHERE r.run_id = $1)
LIMIT $2

-- name: experiments_with_artifacts
-- Materialized, because the planner would look for the dumps of each result twice.
WITH dumped AS MATERIALIZED (
  SELECT r.experiment_id AS experiment_id, (
    SELECT max(a.trace_id IS NOT NULL)
    FROM invocation AS i
    JOIN experiment AS e ON e.family = asked.family AND (e.id = asked.id OR e.batch_size IS NULL)
      AND e.accelerator_model = i.accelerator_model
    JOIN artifact_tie AS t ON t.experiment = e.hash AND t.timestamp = i.timestamp
    JOIN artifact AS a ON a.id = t.artifact_id
    WHERE i.run_id = r.run_id) AS has_profile
  FROM result AS r
  JOIN experiment AS asked ON asked.id = r.experiment_id
  WHERE r.run_id = $1)
SELECT experiment_id, has_profile FROM dumped WHERE has_profile IS NOT NULL ORDER BY experiment_id

-- name: medians_of_run
SELECT r.experiment_id, m.median
FROM result AS r
JOIN measurement AS m ON m.line_id = r.timing_line_id
WHERE r.run_id = $1 AND m.metric_id = (SELECT id FROM metric WHERE name = $2) AND m.median IS NOT NULL
ORDER BY r.experiment_id

-- name: metrics_named
SELECT name FROM metric WHERE name LIKE '%' || $1 || '%' ORDER BY name

-- name: measurements_of_line
SELECT m.metric_id, k.name, m.shape, m.n, m.median, m.mean, m.min, m.max, m.samples, x.bytes, x.zstd,
       x.byte_count
FROM measurement AS m
JOIN metric AS k ON k.id = m.metric_id
LEFT JOIN text AS x ON x.id = m.text_id
WHERE m.line_id = $1

-- name: samples_of_line
SELECT per_iter_time, total_time, xla_compile_time,
       (SELECT id FROM metric WHERE name = 'per_iter_time'),
       (SELECT id FROM metric WHERE name = 'total_time'),
       (SELECT id FROM metric WHERE name = 'xla_CompileTime_time_s')
FROM line WHERE id = $1

-- name: samples_of_run
-- Of its results' timing lines, in the order of results_of_run. Columns as samples_of_line has them, and the result's key.
SELECT l.per_iter_time, l.total_time, l.xla_compile_time,
       (SELECT id FROM metric WHERE name = 'per_iter_time'),
       (SELECT id FROM metric WHERE name = 'total_time'),
       (SELECT id FROM metric WHERE name = 'xla_CompileTime_time_s'),
       r.started_at, r.run_id, r.experiment_id
FROM result AS r JOIN line AS l ON l.id = r.timing_line_id
WHERE r.run_id = $1
ORDER BY r.experiment_id

-- name: samples_of_results
-- The same of some of a run's results.
SELECT l.per_iter_time, l.total_time, l.xla_compile_time,
       (SELECT id FROM metric WHERE name = 'per_iter_time'),
       (SELECT id FROM metric WHERE name = 'total_time'),
       (SELECT id FROM metric WHERE name = 'xla_CompileTime_time_s'),
       r.started_at, r.run_id, r.experiment_id
FROM result AS r JOIN line AS l ON l.id = r.timing_line_id
WHERE r.run_id = $1 AND r.experiment_id IN ($2)
ORDER BY r.experiment_id

-- name: measurements_of_run
-- Columns as measurements_of_line has them, and the result's key.
SELECT m.metric_id, k.name, m.shape, m.n, m.median, m.mean, m.min, m.max, m.samples, x.bytes, x.zstd,
       x.byte_count, r.started_at, r.run_id, r.experiment_id
FROM result AS r
JOIN measurement AS m ON m.line_id = r.timing_line_id
JOIN metric AS k ON k.id = m.metric_id
LEFT JOIN text AS x ON x.id = m.text_id
WHERE r.run_id = $1
ORDER BY r.experiment_id

-- name: measurements_of_results
-- The same of some of a run's results.
SELECT m.metric_id, k.name, m.shape, m.n, m.median, m.mean, m.min, m.max, m.samples, x.bytes, x.zstd,
       x.byte_count, r.started_at, r.run_id, r.experiment_id
FROM result AS r
JOIN measurement AS m ON m.line_id = r.timing_line_id
JOIN metric AS k ON k.id = m.metric_id
LEFT JOIN text AS x ON x.id = m.text_id
WHERE r.run_id = $1 AND r.experiment_id IN ($2)
ORDER BY r.experiment_id

-- name: samples_of_series
-- The same of an experiment's results, in the order of results_of_experiments.
SELECT l.per_iter_time, l.total_time, l.xla_compile_time,
       (SELECT id FROM metric WHERE name = 'per_iter_time'),
       (SELECT id FROM metric WHERE name = 'total_time'),
       (SELECT id FROM metric WHERE name = 'xla_CompileTime_time_s'),
       r.started_at, r.run_id, r.experiment_id
FROM result AS r JOIN line AS l ON l.id = r.timing_line_id
WHERE r.experiment_id = $1 AND r.started_at >= $2 AND r.started_at <= $3
ORDER BY r.started_at, r.run_id

-- name: measurements_of_series
SELECT m.metric_id, k.name, m.shape, m.n, m.median, m.mean, m.min, m.max, m.samples, x.bytes, x.zstd,
       x.byte_count, r.started_at, r.run_id, r.experiment_id
FROM result AS r
JOIN measurement AS m ON m.line_id = r.timing_line_id
JOIN metric AS k ON k.id = m.metric_id
LEFT JOIN text AS x ON x.id = m.text_id
WHERE r.experiment_id = $1 AND r.started_at >= $2 AND r.started_at <= $3
ORDER BY r.started_at, r.run_id

-- name: replay_whole_lines
SELECT l.per_iter_time, l.total_time, l.xla_compile_time,
       (SELECT id FROM metric WHERE name = 'per_iter_time'),
       (SELECT id FROM metric WHERE name = 'total_time'),
       (SELECT id FROM metric WHERE name = 'xla_CompileTime_time_s'),
       l.id, i.timestamp, l.experiment_id, l.repeat, l.iterations_per_run, l.code, l.extra,
       x.bytes, x.zstd, x.byte_count, l.mean_rel_error, l.hash, i.has_timing, i.has_verdict
FROM line AS l
JOIN invocation AS i ON i.id = l.invocation_id
LEFT JOIN text AS x ON x.id = l.error_id
ORDER BY l.id

-- name: replay_whole_lines_of_run
SELECT l.per_iter_time, l.total_time, l.xla_compile_time,
       (SELECT id FROM metric WHERE name = 'per_iter_time'),
       (SELECT id FROM metric WHERE name = 'total_time'),
       (SELECT id FROM metric WHERE name = 'xla_CompileTime_time_s'),
       l.id, i.timestamp, l.experiment_id, l.repeat, l.iterations_per_run, l.code, l.extra,
       x.bytes, x.zstd, x.byte_count, l.mean_rel_error, l.hash, i.has_timing, i.has_verdict
FROM line AS l
JOIN invocation AS i ON i.id = l.invocation_id
LEFT JOIN text AS x ON x.id = l.error_id
WHERE i.run_id = $1
ORDER BY i.timestamp, l.id
