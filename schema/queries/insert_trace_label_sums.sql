INSERT INTO trace_label_sums (trace_id, block, bytes) VALUES ($1, $2, $3)
