INSERT INTO result (run_id, experiment_id, started_at, timing_line_id, failure_line_id,
                    verification_line_id, verified_at, code, timing_shared, verification_shared)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)
