SELECT id, newest
FROM (SELECT e.id AS id,
             (SELECT max(r.started_at) FROM result AS r WHERE r.experiment_id = e.id) AS newest
      FROM experiment AS e) AS seen
WHERE newest IS NOT NULL
ORDER BY id
