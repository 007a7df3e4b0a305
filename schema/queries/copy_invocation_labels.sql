INSERT INTO invocation_label (invocation_id, key, value)
SELECT $2, key, value FROM invocation_label WHERE invocation_id = $1
