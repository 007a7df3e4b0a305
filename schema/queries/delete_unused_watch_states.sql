DELETE FROM watch_state WHERE accelerator_model NOT IN (SELECT accelerator_model FROM run)
