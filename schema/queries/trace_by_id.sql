SELECT id, content_hash, byte_count, base_ns, slice_count, point_count, flow_count, label_count,
       text_count, events, broken, fillers, refused, pairs, flow_events, unclosed, unmatched,
       problem_count,
       (SELECT min(begin_ns) FROM trace_thread WHERE trace_thread.trace_id = trace.id) AS origin,
       EXISTS (SELECT 1 FROM trace_thread WHERE trace_thread.trace_id = trace.id AND is_async)
FROM trace
WHERE id = $1
