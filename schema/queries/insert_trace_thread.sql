INSERT INTO trace_thread (trace_id, thread, pid, tid, process_name, name, process_labels,
                          process_sort_index, thread_sort_index, slice_count, row_count, begin_ns,
                          end_ns, stack_rows, is_async)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15)
