-- Tracks of what is asynchronous are derived of points; they stand behind the file's own threads.
ALTER TABLE trace_thread ADD COLUMN is_async INTEGER NOT NULL DEFAULT 0;
