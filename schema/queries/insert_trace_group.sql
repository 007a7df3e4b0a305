INSERT INTO trace_group (trace_id, thread, number, first_row, last_row, begin_ns, end_ns, count,
                         segments, nodes)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)
