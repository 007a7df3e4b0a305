SELECT m.metric_id, k.name, m.shape, m.n, m.median, m.mean, m.min, m.max, m.samples, x.bytes, x.zstd,
       x.byte_count
FROM measurement AS m
JOIN metric AS k ON k.id = m.metric_id
LEFT JOIN text AS x ON x.id = m.text_id
WHERE m.line_id = $1
