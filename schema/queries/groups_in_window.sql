SELECT number, segments
FROM trace_group
WHERE trace_id = $1 AND thread = $2 AND begin_ns < $4 AND end_ns >= $3
  AND first_row <= $6 AND last_row >= $5
ORDER BY number
