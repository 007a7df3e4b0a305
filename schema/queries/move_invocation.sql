UPDATE invocation SET run_id = $2 WHERE id = $1
