-- Which traces are kept outside the store, and where.

-- name: pack_of_trace
SELECT key, hash, byte_count FROM trace_pack WHERE trace_id = $1

-- name: packs_of_traces
SELECT trace_id, key, hash, byte_count FROM trace_pack ORDER BY trace_id

-- name: is_pack_used
SELECT EXISTS (SELECT 1 FROM trace_pack WHERE key = $1)

-- name: put_trace_pack
INSERT INTO trace_pack (trace_id, key, hash, byte_count, origin, index_version, lacks_findings) VALUES ($1, $2, $3, $4, $5, $6, $7)

-- name: whole_index_version
SELECT version FROM trace_index WHERE trace_id = $1 AND counters_left_out IS NOT NULL

-- name: noted_trace
-- What notes hang on, also of a trace that was moved.
SELECT t.content_hash, coalesce((SELECT min(begin_ns) FROM trace_thread WHERE trace_id = t.id), p.origin, 0)
FROM trace AS t LEFT JOIN trace_pack AS p ON p.trace_id = t.id
WHERE t.id = $1

-- name: moved_traces_without_index
SELECT p.trace_id
FROM trace_pack AS p JOIN trace AS t ON t.id = p.trace_id
WHERE t.label_count <= $2 AND p.index_version IS NOT $1
ORDER BY p.trace_id

-- name: delete_trace_pack
DELETE FROM trace_pack WHERE trace_id = $1

-- name: pack_lacks_findings
SELECT lacks_findings FROM trace_pack WHERE trace_id = $1

-- name: put_orphan_pack
-- That the trace's pack is one from now on.
INSERT INTO orphan_pack (key, noted_at, keep_until) SELECT key, $2, $3 FROM trace_pack WHERE trace_id = $1
ON CONFLICT (key) DO UPDATE SET noted_at = excluded.noted_at, keep_until = excluded.keep_until

-- name: put_stranger_pack
-- That there is one of which the store knows nothing. One that was given up stays so.
INSERT INTO orphan_pack (key, noted_at, keep_until) SELECT $1, $2, $3 WHERE NOT EXISTS (SELECT 1 FROM trace_pack WHERE key = $1)
ON CONFLICT (key) DO UPDATE SET noted_at = excluded.noted_at, keep_until = excluded.keep_until WHERE given_up_at IS NULL

-- name: delete_orphan_pack
DELETE FROM orphan_pack WHERE key = $1

-- name: orphan_pack
SELECT key, noted_at, keep_until, given_up_at FROM orphan_pack WHERE key = $1

-- name: orphan_packs
SELECT key, noted_at, keep_until, given_up_at FROM orphan_pack ORDER BY key

-- name: give_up_pack
INSERT INTO orphan_pack (key, noted_at, keep_until, given_up_at) VALUES ($1, $2, $2, $2)
ON CONFLICT (key) DO UPDATE SET given_up_at = excluded.given_up_at

-- name: delete_given_up_packs
DELETE FROM orphan_pack WHERE given_up_at < $1

-- name: dumps_of_trace
SELECT id FROM artifact WHERE trace_id = $1 AND pruned_at IS NULL

-- name: traces_to_move
-- The next one that is in the store. What somebody alone sees for a while stays there, where it can be removed to the day.
SELECT t.id
FROM trace AS t
WHERE t.id > $1 AND t.id NOT IN (SELECT trace_id FROM trace_pack) AND t.id NOT IN (SELECT trace_id FROM arriving_trace)
  AND (EXISTS (SELECT 1 FROM artifact WHERE trace_id = t.id) OR NOT EXISTS (SELECT 1 FROM dropped_trace WHERE trace_id = t.id))
ORDER BY t.id
LIMIT 1

-- name: content_of_trace
SELECT content_hash FROM trace WHERE id = $1

-- name: count_traces_by_place
SELECT
  (SELECT count(*) FROM trace WHERE id NOT IN (SELECT trace_id FROM arriving_trace)),
  count(*),
  coalesce(sum(byte_count), 0),
  (SELECT count(*)
   FROM trace AS t
   WHERE t.id NOT IN (SELECT trace_id FROM trace_pack) AND t.id NOT IN (SELECT trace_id FROM arriving_trace)
     AND (EXISTS (SELECT 1 FROM artifact WHERE trace_id = t.id) OR NOT EXISTS (SELECT 1 FROM dropped_trace WHERE trace_id = t.id)))
FROM trace_pack
