SELECT a.id, EXISTS (SELECT 1 FROM artifact_tie AS t WHERE t.artifact_id = a.id), a.problem_count, a.error
FROM artifact AS a
WHERE a.path = $1 AND a.disk_size = $2 AND a.modified_ns = $3
ORDER BY a.id DESC LIMIT 1
