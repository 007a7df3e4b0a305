SELECT thread, pid, tid, process_name, name, process_labels, process_sort_index, thread_sort_index,
       slice_count, row_count, begin_ns, end_ns, is_async
FROM trace_thread
WHERE trace_id = $1 AND is_async <= $2
ORDER BY thread
