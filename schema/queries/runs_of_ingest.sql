SELECT DISTINCT i.run_id
FROM invocation_file AS f JOIN invocation AS i ON i.id = f.invocation_id
WHERE f.file_id = $1 AND i.run_id IS NOT NULL
ORDER BY i.run_id
