DELETE FROM invocation WHERE run_id = $1
