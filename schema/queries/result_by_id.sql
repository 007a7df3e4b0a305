SELECT r.run_id, r.experiment_id, r.started_at, r.timing_line_id, r.timing_shared, l.repeat,
       l.iterations_per_run, p.samples, t.samples, c.samples, r.failure_line_id, f.error_id, f.code,
       r.verification_line_id, r.verified_at, r.code, r.verification_shared, v.error_id
FROM result AS r
LEFT JOIN line AS l ON l.id = r.timing_line_id
LEFT JOIN measurement AS p ON p.line_id = r.timing_line_id
  AND p.metric_id = (SELECT id FROM metric WHERE name = 'per_iter_time')
LEFT JOIN measurement AS t ON t.line_id = r.timing_line_id
  AND t.metric_id = (SELECT id FROM metric WHERE name = 'total_time')
LEFT JOIN measurement AS c ON c.line_id = r.timing_line_id
  AND c.metric_id = (SELECT id FROM metric WHERE name = 'xla_CompileTime_time_s')
LEFT JOIN line AS f ON f.id = r.failure_line_id
LEFT JOIN line AS v ON v.id = r.verification_line_id
WHERE r.run_id = $1 AND r.experiment_id = $2
