SELECT id, name FROM run WHERE accelerator_model = $1
