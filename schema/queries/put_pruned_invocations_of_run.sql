INSERT INTO pruned_invocation (accelerator_model, timestamp, pruned_at)
SELECT DISTINCT accelerator_model, timestamp, $2 FROM invocation WHERE run_id = $1
ON CONFLICT (accelerator_model, timestamp) DO NOTHING
