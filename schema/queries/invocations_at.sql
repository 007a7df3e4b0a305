SELECT id FROM invocation WHERE accelerator_model = $1 AND timestamp = $2 ORDER BY id
