SELECT l.key, l.value
FROM invocation AS i JOIN invocation_label AS l ON l.invocation_id = i.id
WHERE i.run_id = $1
ORDER BY i.has_timing, i.timestamp, i.id
