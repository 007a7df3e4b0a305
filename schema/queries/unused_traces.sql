SELECT id FROM trace
WHERE id NOT IN (SELECT trace_id FROM artifact WHERE trace_id IS NOT NULL)
ORDER BY id
