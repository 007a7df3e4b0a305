SELECT bytes, zstd, byte_count FROM text WHERE id = $1
