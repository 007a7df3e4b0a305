DELETE FROM rejected_line WHERE id = $1
