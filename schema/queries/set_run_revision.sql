UPDATE run SET revision = $2 WHERE id = $1
