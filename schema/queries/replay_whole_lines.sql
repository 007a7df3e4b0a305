SELECT l.per_iter_time, l.total_time, l.xla_compile_time,
       (SELECT id FROM metric WHERE name = 'per_iter_time'),
       (SELECT id FROM metric WHERE name = 'total_time'),
       (SELECT id FROM metric WHERE name = 'xla_CompileTime_time_s'),
       l.id, i.timestamp, l.experiment_id, l.repeat, l.iterations_per_run, l.code, l.extra,
       x.bytes, x.zstd, x.byte_count, l.mean_rel_error, l.hash, i.has_timing, i.has_verdict
FROM line AS l
JOIN invocation AS i ON i.id = l.invocation_id
LEFT JOIN text AS x ON x.id = l.error_id
ORDER BY l.id
