SELECT experiment_id, run_id, verified_at, code
FROM result
WHERE run_id = (SELECT id FROM run
                WHERE accelerator_model = $1 AND started_at < $2 AND verified_at IS NOT NULL
                ORDER BY started_at DESC, id DESC LIMIT 1)
  AND verification_line_id IS NOT NULL
ORDER BY experiment_id
