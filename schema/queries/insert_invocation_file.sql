INSERT INTO invocation_file (invocation_id, file_id, line_count) VALUES ($1, $2, $3)
