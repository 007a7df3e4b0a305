SELECT id, accelerator_model, name, started_at, verified_at, result_count, revision
FROM run WHERE id = $1
