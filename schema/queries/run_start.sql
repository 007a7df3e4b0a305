SELECT started_at FROM run WHERE id = $1
