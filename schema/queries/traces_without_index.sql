SELECT id
FROM trace
WHERE label_count <= $2
  AND NOT EXISTS (SELECT 1 FROM trace_index WHERE trace_id = trace.id AND version = $1)
ORDER BY id
