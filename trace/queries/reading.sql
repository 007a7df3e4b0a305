-- Traces as they are asked for: parts of their tables, never a whole trace.

-- name: extras_of_chunk
SELECT extras FROM trace_chunk WHERE trace_id = $1 AND thread = $2 AND number = $3

-- name: groups_in_window
SELECT number, segments
FROM trace_group
WHERE trace_id = $1 AND thread = $2 AND begin_ns < $4 AND end_ns >= $3
  AND first_row <= $6 AND last_row >= $5
ORDER BY number

-- name: nodes_of_chunk
SELECT nodes FROM trace_chunk WHERE trace_id = $1 AND thread = $2 AND number = $3

-- name: nodes_of_group
SELECT nodes FROM trace_group WHERE trace_id = $1 AND thread = $2 AND number = $3

-- name: slices_of_chunk
SELECT slices FROM trace_chunk WHERE trace_id = $1 AND thread = $2 AND number = $3

-- name: stack_rows_of_thread
SELECT stack_rows FROM trace_thread WHERE trace_id = $1 AND thread = $2

-- name: blocks_of_trace
SELECT bytes FROM trace_block WHERE trace_id = $1 AND kind = $2 ORDER BY first

-- name: placed_blocks_of_trace
SELECT first, count, bytes FROM trace_block WHERE trace_id = $1 AND kind = $2 ORDER BY first

-- name: counter_block
SELECT bytes FROM trace_counter_block WHERE trace_id = $1 AND counter = $2 AND number = $3

-- name: counter_block_before
SELECT end_ns, last, bytes
FROM trace_counter_block
WHERE trace_id = $1 AND counter = $2 AND begin_ns < $3
ORDER BY number DESC
LIMIT 1

-- name: counter_blocks_in_window
SELECT begin_ns, end_ns, min, max, last, bytes
FROM trace_counter_block
WHERE trace_id = $1 AND counter = $2 AND begin_ns < $4 AND end_ns >= $3
ORDER BY number

-- name: counters_of_trace
SELECT number, thread, name, key, count, min, max FROM trace_counter WHERE trace_id = $1 ORDER BY number

-- name: numbers_of_object
SELECT key, value
FROM json_each(CASE WHEN json_valid($1) THEN $1 ELSE '{}' END)
WHERE type IN ('integer', 'real')

-- name: dropped_traces_of_token
-- until: 0 where a dump is of the same content by now, which everybody sees and which stays.
SELECT d.trace_id, d.name, d.at,
       CASE WHEN EXISTS (SELECT 1 FROM artifact AS a WHERE a.trace_id = d.trace_id) THEN 0.0 ELSE d.until END,
       t.byte_count, t.problem_count
FROM dropped_trace AS d JOIN trace AS t ON t.id = d.trace_id
WHERE d.token_id = $1 AND d.until > $2
ORDER BY d.at DESC, d.trace_id DESC

-- name: digest_of_dropped_trace
SELECT digest FROM dropped_trace WHERE trace_id = $1 AND token_id = $2 AND until > $3

-- name: may_see_trace
SELECT EXISTS (SELECT 1 FROM artifact WHERE trace_id = $1)
    OR NOT EXISTS (SELECT 1 FROM dropped_trace WHERE trace_id = $1 UNION ALL SELECT 1 FROM arriving_trace WHERE trace_id = $1)
    OR EXISTS (SELECT 1 FROM dropped_trace WHERE trace_id = $1 AND token_id = $2 AND until > $3)

-- name: is_trace_only_dropped
SELECT EXISTS (SELECT 1 FROM dropped_trace WHERE trace_id = $1)
   AND NOT EXISTS (SELECT 1 FROM artifact WHERE trace_id = $1)

-- name: dropped_traces_to_remove
-- Those whose time is over, and those that nobody can see any more because the token is withdrawn.
SELECT d.trace_id, d.token_id
FROM dropped_trace AS d LEFT JOIN access_token AS k ON k.id = d.token_id
WHERE d.until <= $1 OR k.id IS NULL OR k.withdrawn_at IS NOT NULL
ORDER BY d.until, d.trace_id, d.token_id

-- name: dropped_bytes_of_token
SELECT count(*), coalesce(sum(t.byte_count), 0)
FROM dropped_trace AS d JOIN trace AS t ON t.id = d.trace_id
WHERE d.token_id = $1 AND d.until > $2 AND d.trace_id <> $3

-- name: busy_blocks_from
SELECT begin_ns, end_ns, busy_ns, count, bytes
FROM trace_device_block
WHERE trace_id = $1 AND device = $2 AND end_ns > $3
ORDER BY end_ns

-- name: device_count_of_trace
SELECT device_count FROM trace WHERE id = $1

-- name: devices_of_trace
SELECT number, thread, begin_ns, end_ns, busy_ns, gaps, host_wait_ns, kernel_wait_ns, other_ns, unknown_ns
FROM trace_device WHERE trace_id = $1 ORDER BY number

-- name: finding_block
SELECT bytes FROM trace_finding_block WHERE trace_id = $1 AND kind = $2 AND number = $3

-- name: finding_kinds_of_trace
SELECT kind, count, earliest,
       CASE WHEN earliest IS NULL
         THEN (SELECT count(*) FROM trace_finding
               WHERE trace_id = of.trace_id AND trace_finding.kind = of.kind)
         ELSE count
       END
FROM trace_finding_kind AS of
WHERE trace_id = $1
ORDER BY kind

-- name: older_findings
SELECT thread, begin_ns, end_ns, words
FROM trace_finding
WHERE trace_id = $1 AND kind = $2
ORDER BY CAST(end_ns AS REAL) - begin_ns DESC, number
LIMIT $4 OFFSET $3

-- name: flow_kinds_of_trace
SELECT category, ends FROM trace_flow_kind WHERE trace_id = $1 ORDER BY category

-- name: label_sums_of_block
SELECT bytes FROM trace_label_sums WHERE trace_id = $1 AND block = $2

-- name: postings_of_label
SELECT thread, chunks FROM trace_posting WHERE trace_id = $1 AND label = $2 ORDER BY thread

-- name: sums_of_trace_part
SELECT sums FROM trace_sums WHERE trace_id = $1 AND thread = $2 AND is_group = $3 AND number = $4

-- name: trace_index_of_trace
SELECT begin_ns, end_ns, counters_left_out FROM trace_index WHERE trace_id = $1 AND version = $2

-- name: track_of_trace
SELECT sums, extents FROM trace_track WHERE trace_id = $1 AND thread = $2

-- name: tracks_of_trace
SELECT thread, busy_ns, point_count, sums FROM trace_track WHERE trace_id = $1 ORDER BY thread

-- name: within_of_chunk
SELECT within FROM trace_sums WHERE trace_id = $1 AND thread = $2 AND is_group = 0 AND number = $3

-- name: chunks_of_thread
SELECT slices, extras FROM trace_chunk WHERE trace_id = $1 AND thread = $2 ORDER BY number

-- name: problems_of_trace
SELECT byte_offset, reason FROM trace_problem WHERE trace_id = $1 ORDER BY number

-- name: threads_of_trace
SELECT thread, pid, tid, process_name, name, process_labels, process_sort_index, thread_sort_index,
       slice_count, row_count, begin_ns, end_ns, is_async, is_derived
FROM trace_thread
WHERE trace_id = $1 AND (is_async OR is_derived) <= $2
ORDER BY thread

-- name: trace_by_id
SELECT id, content_hash, byte_count, base_ns, slice_count, point_count, flow_count, label_count,
       text_count, events, broken, fillers, refused, pairs, flow_events, unclosed, unmatched,
       problem_count,
       (SELECT min(begin_ns) FROM trace_thread WHERE trace_thread.trace_id = trace.id) AS origin,
       EXISTS (SELECT 1 FROM trace_thread WHERE trace_thread.trace_id = trace.id AND is_async),
       cuda_driver, derived_version
FROM trace
WHERE id = $1

-- name: artifact_of_trace
SELECT max(id) FROM artifact WHERE trace_id = $1

-- name: block_of_trace
SELECT first, count, bytes
FROM trace_block
WHERE trace_id = $1 AND kind = $2 AND first <= $3
ORDER BY first DESC
LIMIT 1

-- name: notes_of_trace
SELECT id, begin_ns, end_ns, thread, words, who, at, token
FROM trace_note
WHERE content_hash = $1
ORDER BY begin_ns, id

-- name: block_behind
SELECT first, bytes
FROM trace_block
WHERE trace_id = $1 AND kind = $2 AND first >= $3
ORDER BY first
LIMIT 1

-- name: member_of_object
SELECT type, value
FROM json_each(CASE WHEN json_valid($1) THEN $1 ELSE '{}' END)
WHERE key = $2

-- name: members_of_object
SELECT key, value
FROM json_each(CASE WHEN json_valid($1) THEN $1 ELSE '{}' END)

-- name: blocks_in_window
SELECT first, count, bytes
FROM trace_block
WHERE trace_id = $1 AND kind = $2 AND begin_ns < $4 AND end_ns >= $3
  AND ($5 IS NULL OR (first_thread <= $5 AND last_thread >= $5))
ORDER BY first

-- name: groups_of_window
SELECT number, begin_ns, end_ns, segments
FROM trace_group
WHERE trace_id = $1 AND thread = $2 AND begin_ns < $4 AND end_ns >= $3
ORDER BY number

-- name: hlo_module_by_id
SELECT m.name, m.text_id, t.byte_count FROM hlo_module AS m JOIN text AS t ON t.id = m.text_id
WHERE m.id = $1

-- name: trace_hlo_of_trace
SELECT llo_bytes, modules, unreadable, left_out FROM trace_hlo WHERE trace_id = $1

-- name: trace_hlo_of_all
SELECT trace_id, modules FROM trace_hlo ORDER BY trace_id DESC
