SELECT content, byte_count, is_zstd, bytes, night_count, basis FROM watch_state WHERE accelerator_model = $1
