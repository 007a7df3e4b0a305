INSERT INTO rejected_line (file_id, path, line_number, byte_offset, byte_count, hash, retriable,
                           reason, text_id)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)
ON CONFLICT (path, byte_offset, hash) DO NOTHING
