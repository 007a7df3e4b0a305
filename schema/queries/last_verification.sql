-- Named, because the planner takes result_series, which has to be searched for a verification.
SELECT run_id, verified_at, code
FROM result INDEXED BY result_verified
WHERE experiment_id = $1 AND started_at < $2 AND verification_line_id IS NOT NULL
ORDER BY started_at DESC
LIMIT 1
