SELECT DISTINCT accelerator_model FROM invocation ORDER BY accelerator_model
