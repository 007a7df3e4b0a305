SELECT DISTINCT a.id, a.kind, a.name, a.path, a.base, a.model, a.repetition, a.part, a.content_hash,
       a.byte_count, a.ingested_at, a.problem_count, a.error, a.text_id, a.trace_id, a.report_id
FROM experiment AS asked
JOIN experiment AS e ON e.family = asked.family AND (e.id = asked.id OR e.batch_size IS NULL)
JOIN artifact_tie AS t ON t.experiment = e.hash
JOIN invocation AS i ON i.timestamp = t.timestamp AND i.accelerator_model = e.accelerator_model
  AND i.run_id = $3
JOIN artifact AS a ON a.id = t.artifact_id
WHERE asked.id = $4 AND a.id < $1 AND ($2 IS NULL OR a.kind = $2)
ORDER BY a.id DESC
