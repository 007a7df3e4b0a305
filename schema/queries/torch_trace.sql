-- Logs of TORCH_TRACE: their compilations and what these put out.

-- name: insert_torch_trace
INSERT INTO torch_trace (artifact_id, rank, record_count, sound_payloads, damaged_payloads, unreadable_lines, omitted, kinds)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8)

-- name: insert_torch_trace_problem
INSERT INTO torch_trace_problem (artifact_id, ordinal, line, reason) VALUES ($1, $2, $3, $4)

-- name: insert_compilation
INSERT INTO compilation (artifact_id, ordinal, compile_id, occurrence, attempt, line, logged_at,
                         frame_name, frame_file, frame_line, stack_id, seconds, restart_seconds,
                         guard_count, shape_guard_count, op_count, node_count, input_count, cache_size,
                         fail_type, fail_reason, fail_file, fail_line,
                         phases, restarts, graph_breaks, recompiles, caches)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19, $20,
        $21, $22, $23, $24, $25, $26, $27, $28)

-- name: insert_compilation_output
INSERT INTO compilation_output (artifact_id, ordinal, compilation, attempt, line, kind, name, encoding, byte_count, text_id)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)

-- name: torch_trace_of_artifact
SELECT rank, record_count, sound_payloads, damaged_payloads, unreadable_lines, omitted, kinds,
       (SELECT count(*) FROM compilation AS c WHERE c.artifact_id = t.artifact_id)
FROM torch_trace AS t
WHERE artifact_id = $1

-- name: torch_trace_problems
SELECT line, reason FROM torch_trace_problem WHERE artifact_id = $1 ORDER BY ordinal

-- name: compilations_after
SELECT ordinal, compile_id, occurrence, attempt, line, logged_at, frame_name, frame_file, frame_line,
       stack_id, seconds, restart_seconds, guard_count, shape_guard_count, op_count, node_count,
       input_count, cache_size, fail_type, fail_reason, fail_file, fail_line,
       phases, restarts, graph_breaks, recompiles, caches
FROM compilation
WHERE artifact_id = $1 AND ordinal > $2
ORDER BY ordinal
LIMIT $3

-- name: outputs_of_compilation
SELECT ordinal, attempt, line, kind, name, encoding, byte_count, text_id
FROM compilation_output
WHERE artifact_id = $1 AND compilation IS $2
ORDER BY ordinal
LIMIT $3

-- name: outputs_of_compilations
SELECT ordinal, attempt, line, kind, name, encoding, byte_count, text_id, compilation
FROM compilation_output
WHERE artifact_id = $1 AND compilation IS NOT NULL
ORDER BY ordinal

-- name: count_outputs_of_compilation
SELECT count(*) FROM compilation_output WHERE artifact_id = $1 AND compilation IS $2

-- name: compilation_output_by_ordinal
SELECT ordinal, attempt, line, kind, name, encoding, byte_count, text_id
FROM compilation_output
WHERE artifact_id = $1 AND ordinal = $2

-- name: runs_with_torch_trace
SELECT r.run_id
FROM result AS r
JOIN experiment AS asked ON asked.id = r.experiment_id
WHERE r.experiment_id = $1 AND EXISTS (
  SELECT 1
  FROM invocation AS i
  JOIN experiment AS e ON e.family = asked.family AND (e.id = asked.id OR e.batch_size IS NULL)
    AND e.accelerator_model = i.accelerator_model
  JOIN artifact_tie AS t ON t.experiment = e.hash AND t.timestamp = i.timestamp
  JOIN torch_trace AS log ON log.artifact_id = t.artifact_id
  WHERE i.run_id = r.run_id)

-- name: delete_problems_of_torch_trace
DELETE FROM torch_trace_problem WHERE artifact_id = $1

-- name: delete_outputs_of_torch_trace
DELETE FROM compilation_output WHERE artifact_id = $1

-- name: delete_compilations_of_torch_trace
DELETE FROM compilation WHERE artifact_id = $1

-- name: delete_torch_trace
DELETE FROM torch_trace WHERE artifact_id = $1
