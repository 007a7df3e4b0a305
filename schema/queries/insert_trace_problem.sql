INSERT INTO trace_problem (trace_id, number, byte_offset, reason) VALUES ($1, $2, $3, $4)
