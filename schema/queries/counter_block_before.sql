SELECT end_ns, last, bytes
FROM trace_counter_block
WHERE trace_id = $1 AND counter = $2 AND begin_ns < $3
ORDER BY number DESC
LIMIT 1
