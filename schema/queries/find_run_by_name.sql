SELECT id FROM run WHERE accelerator_model = $1 AND name = $2
