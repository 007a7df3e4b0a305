SELECT DISTINCT a.id, a.kind, a.name, a.path, a.base, a.model, a.repetition, a.part, a.content_hash,
       a.byte_count, a.ingested_at, a.problem_count, a.error, a.text_id, a.trace_id, a.report_id
FROM invocation AS i
JOIN line AS l ON l.invocation_id = i.id
JOIN experiment AS e ON e.id = l.experiment_id
JOIN artifact_tie AS t ON t.experiment = e.hash AND t.timestamp = i.timestamp
JOIN artifact AS a ON a.id = t.artifact_id
WHERE i.run_id = $3 AND a.id < $1 AND ($2 IS NULL OR a.kind = $2)
ORDER BY a.id DESC
