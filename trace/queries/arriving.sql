-- Traces that come into the store in pieces.

-- name: hide_content
-- So that nobody finds the trace by its content, and who brings it knows it again.
UPDATE trace SET content_hash = randomblob(16) WHERE id = $1 RETURNING content_hash

-- name: insert_arriving_trace
INSERT INTO arriving_trace (trace_id, begun_at) VALUES ($1, $2)

-- name: is_arriving
SELECT 1 FROM arriving_trace AS a JOIN trace AS t ON t.id = a.trace_id
WHERE a.trace_id = $1 AND t.content_hash = $2

-- name: is_coming_in
SELECT 1 FROM arriving_trace WHERE trace_id = $1

-- name: delete_arriving_trace
DELETE FROM arriving_trace WHERE trace_id = $1

-- name: abandoned_traces
SELECT trace_id FROM arriving_trace WHERE begun_at < $1 ORDER BY trace_id
