-- Traces into the store, with their index, counters and findings, and out of it.

-- name: delete_async_chunks
DELETE FROM trace_chunk
WHERE trace_id = $1 AND thread IN (SELECT thread FROM trace_thread WHERE trace_id = $1 AND is_async)

-- name: delete_async_groups
DELETE FROM trace_group
WHERE trace_id = $1 AND thread IN (SELECT thread FROM trace_thread WHERE trace_id = $1 AND is_async)

-- name: delete_async_threads
DELETE FROM trace_thread WHERE trace_id = $1 AND is_async

-- name: delete_derived_chunks
DELETE FROM trace_chunk
WHERE trace_id = $1 AND thread IN (SELECT thread FROM trace_thread WHERE trace_id = $1 AND is_derived)

-- name: delete_derived_groups
DELETE FROM trace_group
WHERE trace_id = $1 AND thread IN (SELECT thread FROM trace_thread WHERE trace_id = $1 AND is_derived)

-- name: delete_derived_threads
DELETE FROM trace_thread WHERE trace_id = $1 AND is_derived

-- name: delete_trace_counter_blocks
DELETE FROM trace_counter_block WHERE trace_id = $1

-- name: delete_trace_counters
DELETE FROM trace_counter WHERE trace_id = $1

-- name: insert_trace_counter
INSERT INTO trace_counter (trace_id, number, thread, name, key, count, min, max)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8)

-- name: insert_trace_counter_block
INSERT INTO trace_counter_block (trace_id, counter, number, begin_ns, end_ns, min, max, last, bytes)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)

-- name: delete_dropped_trace
DELETE FROM dropped_trace WHERE trace_id = $1

-- name: delete_dropped_trace_of_token
DELETE FROM dropped_trace WHERE trace_id = $1 AND token_id = $2

-- name: is_trace_kept
SELECT EXISTS (SELECT 1 FROM artifact WHERE trace_id = $1) OR EXISTS (SELECT 1 FROM dropped_trace WHERE trace_id = $1)

-- name: put_dropped_trace
INSERT INTO dropped_trace (trace_id, token_id, name, at, until, digest) VALUES ($1, $2, $3, $4, $5, $6)
ON CONFLICT (trace_id, token_id) DO UPDATE
SET name = excluded.name, at = excluded.at, until = excluded.until, digest = excluded.digest

-- name: delete_trace_device_blocks
DELETE FROM trace_device_block WHERE trace_id = $1

-- name: delete_trace_devices
DELETE FROM trace_device WHERE trace_id = $1

-- name: insert_trace_device
INSERT INTO trace_device (trace_id, number, thread, begin_ns, end_ns, busy_ns, gaps, host_wait_ns,
                          kernel_wait_ns, other_ns, unknown_ns)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)

-- name: insert_trace_device_block
INSERT INTO trace_device_block (trace_id, device, begin_ns, end_ns, busy_ns, count, bytes)
VALUES ($1, $2, $3, $4, $5, $6, $7)

-- name: set_trace_device_count
UPDATE trace SET device_count = $2 WHERE id = $1

-- name: delete_trace_finding_blocks
DELETE FROM trace_finding_block WHERE trace_id = $1

-- name: delete_trace_finding_kinds
DELETE FROM trace_finding_kind WHERE trace_id = $1

-- name: delete_trace_findings
DELETE FROM trace_finding WHERE trace_id = $1

-- name: insert_trace_finding_block
INSERT INTO trace_finding_block (trace_id, kind, number, bytes) VALUES ($1, $2, $3, $4)

-- name: insert_trace_finding_kind
INSERT INTO trace_finding_kind (trace_id, kind, count, earliest) VALUES ($1, $2, $3, $4)

-- name: chunk_count_of_thread
SELECT max(number) + 1 FROM trace_chunk WHERE trace_id = $1 AND thread = $2

-- name: delete_trace_flow_kinds
DELETE FROM trace_flow_kind WHERE trace_id = $1

-- name: delete_trace_index
DELETE FROM trace_index WHERE trace_id = $1

-- name: delete_trace_label_sums
DELETE FROM trace_label_sums WHERE trace_id = $1

-- name: delete_trace_postings
DELETE FROM trace_posting WHERE trace_id = $1

-- name: delete_trace_sums
DELETE FROM trace_sums WHERE trace_id = $1

-- name: delete_trace_tracks
DELETE FROM trace_track WHERE trace_id = $1

-- name: insert_trace_flow_kind
INSERT INTO trace_flow_kind (trace_id, category, ends) VALUES ($1, $2, $3)

-- name: insert_trace_index
INSERT INTO trace_index (trace_id, version, begin_ns, end_ns, counters_left_out) VALUES ($1, $2, $3, $4, $5)

-- name: insert_trace_label_sums
INSERT INTO trace_label_sums (trace_id, block, bytes) VALUES ($1, $2, $3)

-- name: insert_trace_posting
INSERT INTO trace_posting (trace_id, label, thread, chunks) VALUES ($1, $2, $3, $4)

-- name: insert_trace_sums
INSERT INTO trace_sums (trace_id, thread, is_group, number, sums, within) VALUES ($1, $2, $3, $4, $5, $6)

-- name: insert_trace_track
INSERT INTO trace_track (trace_id, thread, busy_ns, point_count, sums, extents)
VALUES ($1, $2, $3, $4, $5, $6)

-- name: slice_counts_of_groups
SELECT count FROM trace_group WHERE trace_id = $1 AND thread = $2 ORDER BY number

-- name: traces_without_index
SELECT id
FROM trace
WHERE label_count <= $2
  AND id NOT IN (SELECT trace_id FROM trace_pack)
  AND id NOT IN (SELECT trace_id FROM arriving_trace)
  AND NOT EXISTS (SELECT 1 FROM trace_index
                  WHERE trace_id = trace.id AND version = $1 AND counters_left_out IS NOT NULL)
ORDER BY id

-- name: is_trace_in_store
SELECT 1 FROM trace WHERE id = $1 AND id NOT IN (SELECT trace_id FROM trace_pack)

-- name: delete_notes_of_trace
DELETE FROM trace_note WHERE content_hash = (SELECT content_hash FROM trace WHERE id = $1)

-- name: delete_trace_note
DELETE FROM trace_note WHERE id = $1

-- name: insert_trace_note
INSERT INTO trace_note (content_hash, begin_ns, end_ns, thread, words, who, at, token)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8)

-- name: insert_trace_chunk
INSERT INTO trace_chunk (trace_id, thread, number, first_row, last_row, begin_ns, end_ns, count,
                         nodes, slices, extras)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)

-- name: insert_trace_group
INSERT INTO trace_group (trace_id, thread, number, first_row, last_row, begin_ns, end_ns, count,
                         segments, nodes)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)

-- name: delete_trace
DELETE FROM trace WHERE id = $1

-- name: delete_trace_blocks
DELETE FROM trace_block WHERE trace_id = $1

-- name: delete_trace_chunks
DELETE FROM trace_chunk WHERE trace_id = $1

-- name: count_problems_of_trace
SELECT count(*) FROM trace_problem WHERE trace_id = $1

-- name: add_to_problem_count
UPDATE trace SET problem_count = problem_count + $2 WHERE id = $1

-- name: add_to_problem_counts_of_dumps
UPDATE artifact SET problem_count = problem_count + $2 WHERE trace_id = $1

-- name: delete_trace_groups
DELETE FROM trace_group WHERE trace_id = $1

-- name: delete_trace_problems
DELETE FROM trace_problem WHERE trace_id = $1

-- name: delete_trace_threads
DELETE FROM trace_thread WHERE trace_id = $1

-- name: find_trace
SELECT id FROM trace WHERE content_hash = $1

-- name: insert_trace
INSERT INTO trace (content_hash, byte_count, base_ns, slice_count, point_count, flow_count,
                   label_count, text_count, events, broken, fillers, refused, pairs, flow_events,
                   unclosed, unmatched, problem_count, cuda_driver)
VALUES ($1, $2, $3, 0, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17)

-- name: insert_trace_block
INSERT INTO trace_block (trace_id, kind, first, count, begin_ns, end_ns, first_thread, last_thread,
                         bytes)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)

-- name: insert_trace_problem
INSERT INTO trace_problem (trace_id, number, byte_offset, reason) VALUES ($1, $2, $3, $4)

-- name: insert_trace_thread
INSERT INTO trace_thread (trace_id, thread, pid, tid, process_name, name, process_labels,
                          process_sort_index, thread_sort_index, slice_count, row_count, begin_ns,
                          end_ns, stack_rows, is_async, is_derived)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16)

-- name: is_trace_used
SELECT 1 FROM artifact WHERE trace_id = $1 LIMIT 1

-- name: set_trace_slice_count
UPDATE trace SET slice_count = $2 WHERE id = $1

-- name: set_derived_version
UPDATE trace SET derived_version = $2 WHERE id = $1

-- name: set_trace_label_count
UPDATE trace SET label_count = $2 WHERE id = $1

-- name: set_trace_text_count
UPDATE trace SET text_count = $2 WHERE id = $1

-- name: unused_traces
SELECT id FROM trace
WHERE id NOT IN (SELECT trace_id FROM artifact WHERE trace_id IS NOT NULL)
  AND id NOT IN (SELECT trace_id FROM dropped_trace)
  AND id NOT IN (SELECT trace_id FROM arriving_trace WHERE begun_at >= $1)
ORDER BY id

-- name: delete_trace_hlo
DELETE FROM trace_hlo WHERE trace_id = $1

-- name: delete_hlo_module
DELETE FROM hlo_module WHERE id = $1

-- name: find_hlo_module
SELECT id FROM hlo_module WHERE text_id = $1

-- name: insert_hlo_module
INSERT INTO hlo_module (name, text_id) VALUES ($1, $2) RETURNING id

-- name: insert_trace_hlo
INSERT INTO trace_hlo (trace_id, llo_bytes, modules, unreadable, left_out)
VALUES ($1, $2, $3, $4, $5)
ON CONFLICT (trace_id) DO NOTHING

-- name: hlo_module_ids
SELECT id FROM hlo_module
