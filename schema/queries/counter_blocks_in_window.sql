SELECT begin_ns, end_ns, min, max, last, bytes
FROM trace_counter_block
WHERE trace_id = $1 AND counter = $2 AND begin_ns < $4 AND end_ns >= $3
ORDER BY number
