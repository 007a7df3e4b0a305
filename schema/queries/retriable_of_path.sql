SELECT id, byte_offset, hash, text_id, byte_count FROM rejected_line WHERE path = $1 AND retriable = 1
