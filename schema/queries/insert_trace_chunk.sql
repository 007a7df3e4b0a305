INSERT INTO trace_chunk (trace_id, thread, number, first_row, last_row, begin_ns, end_ns, count,
                         nodes, slices, extras)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)
