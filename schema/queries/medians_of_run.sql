SELECT r.experiment_id, m.median
FROM result AS r
JOIN measurement AS m ON m.line_id = r.timing_line_id
WHERE r.run_id = $1 AND m.metric_id = (SELECT id FROM metric WHERE name = $2) AND m.median IS NOT NULL
ORDER BY r.experiment_id
