-- Metrics are numbered as they first came, which is the order that lines have them in.
SELECT k.name, m.shape, m.samples, x.bytes, x.zstd, x.byte_count
FROM measurement AS m
JOIN metric AS k ON k.id = m.metric_id
LEFT JOIN text AS x ON x.id = m.text_id
WHERE m.line_id = $1
ORDER BY m.metric_id
