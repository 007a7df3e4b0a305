SELECT 1
FROM line AS l JOIN ingested_file AS f ON f.id = l.file_id
WHERE l.invocation_id = $1 AND f.path = $2
LIMIT 1
