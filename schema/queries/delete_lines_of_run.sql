DELETE FROM line WHERE invocation_id IN (SELECT id FROM invocation WHERE run_id = $1)
