SELECT DISTINCT a.repetition
FROM experiment AS asked
JOIN experiment AS e ON e.family = asked.family AND (e.id = asked.id OR e.batch_size IS NULL)
JOIN artifact_tie AS t ON t.experiment = e.hash
JOIN invocation AS i ON i.timestamp = t.timestamp AND i.accelerator_model = e.accelerator_model
  AND i.run_id = $1
JOIN artifact AS a ON a.id = t.artifact_id
WHERE asked.id = $2 AND a.kind IN ('trace', 'operator_table') AND a.repetition IS NOT NULL
  AND a.pruned_at IS NULL
ORDER BY a.repetition
