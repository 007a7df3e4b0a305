SELECT byte_offset, hash FROM rejected_line WHERE path = $1 AND pruned_at IS NOT NULL
