CREATE TABLE results AS SELECT * FROM read_ndjson_auto($file)
