SELECT i.timestamp, l.experiment_id, l.total_time
FROM line AS l
JOIN invocation AS i ON i.id = l.invocation_id
ORDER BY l.id
