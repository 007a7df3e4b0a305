INSERT INTO invocation_label (invocation_id, key, value) VALUES ($1, $2, $3)
ON CONFLICT (invocation_id, key) DO UPDATE SET value = excluded.value
