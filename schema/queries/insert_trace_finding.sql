INSERT INTO trace_finding (trace_id, number, kind, thread, begin_ns, end_ns, words)
VALUES ($1, $2, $3, $4, $5, $6, $7)
