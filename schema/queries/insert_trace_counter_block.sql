INSERT INTO trace_counter_block (trace_id, counter, number, begin_ns, end_ns, min, max, last, bytes)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)
