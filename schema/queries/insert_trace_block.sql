INSERT INTO trace_block (trace_id, kind, first, count, begin_ns, end_ns, first_thread, last_thread,
                         bytes)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)
