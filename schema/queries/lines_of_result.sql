SELECT l.id, l.invocation_id, l.experiment_id, i.has_timing, i.has_verdict, i.timestamp, f.path,
       l.line_number, l.byte_offset, l.timed, l.code, l.mean_rel_error, l.error_id, l.extra
FROM invocation AS i
JOIN line AS l ON l.invocation_id = i.id
JOIN ingested_file AS f ON f.id = l.file_id
WHERE i.run_id = $1
  AND l.experiment_id IN (
    SELECT member.id FROM experiment AS member
    JOIN experiment AS asked ON asked.family = member.family
    WHERE asked.id = $2 AND (member.id = asked.id OR member.batch_size IS NULL))
ORDER BY i.timestamp, l.id
