SELECT id, begin_ns, end_ns, thread, words, who, at, token
FROM trace_note
WHERE content_hash = $1
ORDER BY begin_ns, id
