UPDATE experiment
SET timed = CASE WHEN id IN (SELECT experiment_id FROM line WHERE timed = 1) THEN 1 ELSE 0 END
