UPDATE night_mark SET name = $3 WHERE accelerator_model = $1 AND name = $2
