SELECT run_id, experiment_id, started_at, timing_line_id, timing_shared, repeat, iterations_per_run,
       per_iter_time, total_time, xla_compile_time, failure_line_id, failure_error_id, failure_code,
       verification_line_id, verified_at, code, verification_shared, verification_error_id
FROM result_facts
WHERE experiment_id = $1 AND started_at >= $2 AND started_at <= $3
ORDER BY started_at, run_id
