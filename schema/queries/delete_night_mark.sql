DELETE FROM night_mark WHERE accelerator_model = $1 AND name = $2 AND kind = $3
