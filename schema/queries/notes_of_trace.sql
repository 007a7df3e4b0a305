SELECT id, begin_ns, end_ns, thread, words, who, at
FROM trace_note
WHERE content_hash = $1
ORDER BY begin_ns, id
