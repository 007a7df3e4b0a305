SELECT run_id FROM result
WHERE experiment_id = $1 AND timing_line_id IS NOT NULL
ORDER BY started_at, run_id
LIMIT $2
