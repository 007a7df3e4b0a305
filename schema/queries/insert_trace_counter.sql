INSERT INTO trace_counter (trace_id, number, thread, name, key, count, min, max)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8)
