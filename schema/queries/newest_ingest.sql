-- What came last, with what was not taken of it.
SELECT path, ingested_at, line_count, rejected FROM ingested_file ORDER BY ingested_at DESC, id DESC LIMIT 1
