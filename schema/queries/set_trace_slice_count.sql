UPDATE trace SET slice_count = $2 WHERE id = $1
