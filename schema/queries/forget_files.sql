UPDATE ingested_file SET complete = 0
