SELECT first, count, bytes FROM trace_block WHERE trace_id = $1 AND kind = $2 ORDER BY first
