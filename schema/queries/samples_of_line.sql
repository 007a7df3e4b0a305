SELECT per_iter_time, total_time, xla_compile_time,
       (SELECT id FROM metric WHERE name = 'per_iter_time'),
       (SELECT id FROM metric WHERE name = 'total_time'),
       (SELECT id FROM metric WHERE name = 'xla_CompileTime_time_s')
FROM line WHERE id = $1
