SELECT a.id, EXISTS (SELECT 1 FROM artifact_tie AS t WHERE t.artifact_id = a.id), a.problem_count, a.error,
       a.pruned_at IS NOT NULL
FROM artifact_file AS f
JOIN artifact AS a ON a.id = f.artifact_id
WHERE f.path = $1 AND f.disk_size = $2 AND f.modified_ns = $3
