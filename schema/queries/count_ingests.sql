SELECT count(*) FROM ingested_file
