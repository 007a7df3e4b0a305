SELECT number, begin_ns, end_ns, segments
FROM trace_group
WHERE trace_id = $1 AND thread = $2 AND begin_ns < $4 AND end_ns >= $3
ORDER BY number
