SELECT id, accelerator_model, name, started_at, verified_at, result_count, revision
FROM run WHERE substr(name, 1, $2) = $1
ORDER BY started_at DESC, id DESC
