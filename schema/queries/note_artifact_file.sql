UPDATE artifact SET path = $2, disk_size = $3, modified_ns = $4 WHERE id = $1
