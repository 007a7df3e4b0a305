INSERT INTO run (accelerator_model, name, started_at, verified_at, result_count, revision)
VALUES ($1, $2, $3, $4, 0, 0)
