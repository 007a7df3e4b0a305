SELECT r.experiment_id
FROM result AS r
JOIN experiment AS asked ON asked.id = r.experiment_id
WHERE r.run_id = $1 AND EXISTS (
  SELECT 1
  FROM invocation AS i
  JOIN experiment AS e ON e.family = asked.family AND (e.id = asked.id OR e.batch_size IS NULL)
    AND e.accelerator_model = i.accelerator_model
  JOIN artifact_tie AS t ON t.experiment = e.hash AND t.timestamp = i.timestamp
  WHERE i.run_id = r.run_id)
ORDER BY r.experiment_id
