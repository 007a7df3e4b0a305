SELECT DISTINCT i.run_id
FROM line AS l JOIN invocation AS i ON i.id = l.invocation_id
WHERE l.file_id = $1 AND i.run_id IS NOT NULL
ORDER BY i.run_id
