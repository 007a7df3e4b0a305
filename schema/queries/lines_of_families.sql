SELECT l.id, l.experiment_id, l.timed, l.code, i.timestamp, i.has_timing, i.has_verdict, i.id,
       l.file_id, l.line_number
FROM invocation AS i
CROSS JOIN line AS l ON l.invocation_id = i.id
CROSS JOIN experiment AS e ON e.id = l.experiment_id
WHERE i.run_id = $1 AND e.family >= $2 AND ($3 IS NULL OR e.family < $3)
