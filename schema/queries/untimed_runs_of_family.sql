SELECT r.run_id
FROM experiment AS e JOIN result AS r ON r.experiment_id = e.id
WHERE e.family = (SELECT family FROM experiment WHERE id = $1)
GROUP BY r.run_id
HAVING count(r.timing_line_id) = 0
