SELECT bytes, zstd, byte_count, hash FROM text WHERE id = $1
