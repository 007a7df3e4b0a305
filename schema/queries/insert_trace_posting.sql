INSERT INTO trace_posting (trace_id, label, thread, chunks) VALUES ($1, $2, $3, $4)
