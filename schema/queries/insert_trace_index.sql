INSERT INTO trace_index (trace_id, version, begin_ns, end_ns) VALUES ($1, $2, $3, $4)
