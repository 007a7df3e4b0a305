SELECT id, accelerator_model, name, started_at, verified_at, result_count, revision
FROM run
WHERE started_at >= $1 AND (started_at < $2 OR (started_at = $2 AND id < $3))
ORDER BY started_at DESC, id DESC
