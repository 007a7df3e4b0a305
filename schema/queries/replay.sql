SELECT i.timestamp, l.experiment_id, m.samples
FROM line AS l
JOIN invocation AS i ON i.id = l.invocation_id
LEFT JOIN measurement AS m ON m.line_id = l.id
  AND m.metric_id = (SELECT id FROM metric WHERE name = 'total_time')
ORDER BY l.id
