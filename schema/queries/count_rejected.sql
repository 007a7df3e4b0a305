SELECT count(*) FROM rejected_line
