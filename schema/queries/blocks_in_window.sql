SELECT first, count, bytes
FROM trace_block
WHERE trace_id = $1 AND kind = $2 AND begin_ns < $4 AND end_ns >= $3
  AND ($5 IS NULL OR (first_thread <= $5 AND last_thread >= $5))
ORDER BY first
