SELECT i.id, i.has_timing, i.has_verdict,
       (SELECT count(*) FROM line AS l WHERE l.invocation_id = i.id)
FROM invocation AS i
WHERE i.accelerator_model = $1 AND i.timestamp = $2
ORDER BY EXISTS (SELECT 1 FROM invocation_file AS f JOIN ingested_file AS g ON g.id = f.file_id
                 WHERE f.invocation_id = i.id AND g.path = $3) DESC, i.id
