SELECT 1 FROM pruned_invocation WHERE accelerator_model = $1 AND timestamp = $2
