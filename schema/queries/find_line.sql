SELECT id FROM line WHERE invocation_id = $1 AND experiment_id = $2 AND hash = $3
