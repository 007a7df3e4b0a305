SELECT r.run_id, m.samples
FROM result AS r
JOIN measurement AS m ON m.line_id = r.timing_line_id
  AND m.metric_id = (SELECT id FROM metric WHERE name = $4)
WHERE r.experiment_id = $1 AND r.started_at >= $2 AND r.started_at <= $3
ORDER BY r.started_at, r.run_id
