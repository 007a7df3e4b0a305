SELECT f.path, sum(i.line_count)
FROM invocation_file AS i JOIN ingested_file AS f ON f.id = i.file_id
WHERE i.invocation_id = $1 GROUP BY f.path ORDER BY min(f.id)
