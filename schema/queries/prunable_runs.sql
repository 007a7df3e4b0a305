SELECT id, accelerator_model, name, started_at, result_count
FROM run
WHERE started_at < $1 AND coalesce(verified_at, started_at) < $1
ORDER BY started_at, id
