SELECT count(*) FROM result WHERE experiment_id = $1 AND started_at >= $2 AND started_at < $3
