SELECT content, byte_count, is_zstd, bytes FROM night_facts WHERE run_id = $1 AND revision = $2
