INSERT INTO line (id, invocation_id, experiment_id, hash, file_id, line_number, byte_offset, timed,
                  repeat, iterations_per_run, code, mean_rel_error, error_id, extra, per_iter_time,
                  total_time, xla_compile_time)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17)
