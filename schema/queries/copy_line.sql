INSERT INTO line (id, invocation_id, experiment_id, hash, file_id, line_number, byte_offset, timed,
                  repeat, iterations_per_run, code, mean_rel_error, error_id, extra, per_iter_time,
                  total_time, xla_compile_time)
SELECT $2, $3, experiment_id, hash, $4, $5, $6, timed, repeat, iterations_per_run, code,
       mean_rel_error, error_id, extra, per_iter_time, total_time, xla_compile_time
FROM line WHERE id = $1
