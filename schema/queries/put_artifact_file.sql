INSERT OR REPLACE INTO artifact_file (path, artifact_id, disk_size, modified_ns) VALUES ($1, $2, $3, $4)
