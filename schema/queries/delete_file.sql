DELETE FROM ingested_file WHERE id = $1
