SELECT e.hash, i.timestamp
FROM invocation AS i
JOIN line AS l ON l.invocation_id = i.id
JOIN experiment AS e ON e.id = l.experiment_id
JOIN experiment AS asked ON asked.family = e.family
LEFT JOIN result AS r ON r.run_id = $1 AND r.experiment_id = $2
WHERE i.run_id = $1 AND asked.id = $2 AND (e.id = asked.id OR e.batch_size IS NULL)
ORDER BY l.id = r.timing_line_id DESC, l.timed DESC, i.timestamp DESC, l.id DESC
LIMIT 1
