UPDATE run SET result_count = $2, revision = $3 WHERE id = $1
