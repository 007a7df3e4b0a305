SELECT r.run_id, r.experiment_id, r.started_at, r.timing_line_id, r.timing_shared, NULL, NULL, NULL,
       NULL, NULL, r.failure_line_id, f.error_id, f.code, r.verification_line_id, r.verified_at,
       r.code, r.verification_shared, v.error_id
FROM result AS r
LEFT JOIN line AS f ON f.id = r.failure_line_id
LEFT JOIN line AS v ON v.id = r.verification_line_id
WHERE r.run_id = $1
ORDER BY r.experiment_id
