SELECT CAST(coalesce((SELECT value FROM setting WHERE key = 'revision'), '0') AS BIGINT),
       (SELECT count(*) FROM run),
       (SELECT coalesce(sum(result_count), 0) FROM run),
       (SELECT count(*) FROM rejected_line),
       (SELECT max(started_at) FROM run)
