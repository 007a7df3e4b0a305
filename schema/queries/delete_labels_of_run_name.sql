DELETE FROM run_label WHERE accelerator_model = $1 AND name = $2
