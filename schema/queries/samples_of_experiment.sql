SELECT r.run_id,
       CASE $4
         WHEN 'per_iter_time' THEN l.per_iter_time
         WHEN 'total_time' THEN l.total_time
         WHEN 'xla_CompileTime_time_s' THEN l.xla_compile_time
         ELSE (SELECT samples FROM measurement
               WHERE line_id = l.id AND metric_id = (SELECT id FROM metric WHERE name = $4))
       END
FROM result AS r
JOIN line AS l ON l.id = r.timing_line_id
WHERE r.experiment_id = $1 AND r.started_at >= $2 AND r.started_at <= $3
ORDER BY r.started_at, r.run_id
