SELECT run_id, verified_at, code
FROM result
WHERE experiment_id = $1 AND started_at < $2 AND verification_line_id IS NOT NULL
ORDER BY started_at DESC
LIMIT 1
