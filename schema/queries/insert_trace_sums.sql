INSERT INTO trace_sums (trace_id, thread, is_group, number, sums, within) VALUES ($1, $2, $3, $4, $5, $6)
