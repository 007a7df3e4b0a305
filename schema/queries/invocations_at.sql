SELECT i.id, i.has_timing, i.has_verdict,
       (SELECT count(*) FROM line AS l WHERE l.invocation_id = i.id)
FROM invocation AS i
WHERE i.accelerator_model = $1 AND i.timestamp = $2
ORDER BY i.id
