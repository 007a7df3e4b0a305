INSERT INTO run_label (accelerator_model, name, key, value) VALUES ($1, $2, $3, $4)
ON CONFLICT (accelerator_model, name, key) DO UPDATE SET value = excluded.value
