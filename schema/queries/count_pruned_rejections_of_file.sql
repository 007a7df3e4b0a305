SELECT count(*) FROM rejected_line WHERE file_id = $1 AND pruned_at IS NOT NULL
