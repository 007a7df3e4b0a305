UPDATE invocation SET run_name = $2 WHERE run_id = $1
