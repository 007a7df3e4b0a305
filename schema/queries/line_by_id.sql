SELECT l.id, l.invocation_id, l.experiment_id, i.has_timing, i.has_verdict, i.timestamp, f.path,
       l.line_number, l.byte_offset, l.timed, l.code, l.mean_rel_error, l.error_id, l.extra
FROM line AS l
JOIN invocation AS i ON i.id = l.invocation_id
JOIN ingested_file AS f ON f.id = l.file_id
WHERE l.id = $1
