SELECT count(*), max(started_at) FROM run
