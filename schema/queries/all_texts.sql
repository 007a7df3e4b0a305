SELECT hash, byte_count, zstd, bytes FROM text;
