INSERT INTO trace (content_hash, byte_count, base_ns, slice_count, point_count, flow_count,
                   label_count, text_count, events, broken, fillers, refused, pairs, flow_events,
                   unclosed, unmatched, problem_count)
VALUES ($1, $2, $3, 0, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16)
