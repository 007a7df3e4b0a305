SELECT a.id, a.kind, a.name, a.path, a.base, a.model, a.repetition, a.part, a.content_hash,
       a.byte_count, a.ingested_at, a.problem_count, a.error, a.text_id, a.trace_id, a.report_id
FROM artifact AS a
WHERE a.id < $1 AND a.pruned_at IS NULL AND ($2 IS NULL OR a.kind = $2) AND NOT EXISTS (
  SELECT 1
  FROM artifact_tie AS t
  JOIN experiment AS e ON e.hash = t.experiment
  JOIN invocation AS i ON i.timestamp = t.timestamp AND i.accelerator_model = e.accelerator_model
  JOIN line AS l ON l.invocation_id = i.id AND l.experiment_id = e.id
  WHERE t.artifact_id = a.id)
ORDER BY a.id DESC
