DELETE FROM result WHERE run_id = $1
