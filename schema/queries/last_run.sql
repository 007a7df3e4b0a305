SELECT max(started_at) FROM result WHERE experiment_id = $1
