SELECT count(*) FROM rejected_line WHERE pruned_at IS NULL
