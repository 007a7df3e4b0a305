SELECT 1
FROM invocation_file AS i JOIN ingested_file AS f ON f.id = i.file_id
WHERE i.invocation_id = $1 AND f.path = $2
LIMIT 1
