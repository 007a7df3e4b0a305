SELECT 1 FROM ingested_file WHERE byte_count = $1 LIMIT 1
