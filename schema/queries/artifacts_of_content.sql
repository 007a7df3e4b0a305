SELECT a.id, EXISTS (SELECT 1 FROM artifact_tie AS t WHERE t.artifact_id = a.id), a.problem_count, a.error,
       a.pruned_at IS NOT NULL
FROM artifact AS a
WHERE a.name = $1 AND a.content_hash = $2
ORDER BY a.id
