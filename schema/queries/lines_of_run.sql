SELECT l.id, l.experiment_id, l.timed, l.code, i.timestamp, i.has_timing, i.has_verdict, i.id,
       l.file_id, l.line_number
FROM invocation AS i JOIN line AS l ON l.invocation_id = i.id
WHERE i.run_id = $1
