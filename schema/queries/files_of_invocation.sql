SELECT f.path, count(*)
FROM line AS l JOIN ingested_file AS f ON f.id = l.file_id
WHERE l.invocation_id = $1 GROUP BY f.path ORDER BY min(f.id)
