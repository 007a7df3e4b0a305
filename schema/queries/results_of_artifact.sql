SELECT DISTINCT r.run_id, r.experiment_id
FROM artifact_tie AS t
JOIN experiment AS e ON e.hash = t.experiment
JOIN invocation AS i ON i.timestamp = t.timestamp AND i.accelerator_model = e.accelerator_model
JOIN experiment AS member ON member.family = e.family
  AND (member.id = e.id OR e.batch_size IS NULL)
JOIN result AS r ON r.run_id = i.run_id AND r.experiment_id = member.id
WHERE t.artifact_id = $1
ORDER BY r.run_id, r.experiment_id
