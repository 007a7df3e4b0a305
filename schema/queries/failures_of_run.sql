SELECT f.error_id, f.code, count(*)
FROM result AS r JOIN line AS f ON f.id = r.failure_line_id
WHERE r.run_id = $1 AND r.timing_line_id IS NULL AND r.code IS NOT $2
GROUP BY f.error_id, f.code
