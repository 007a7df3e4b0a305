SELECT id, byte_offset, byte_count, text_id FROM rejected_line WHERE path = $1 AND unfinished = 1
