SELECT first, bytes
FROM trace_block
WHERE trace_id = $1 AND kind = $2 AND first >= $3
ORDER BY first
LIMIT 1
