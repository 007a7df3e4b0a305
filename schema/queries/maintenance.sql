-- What changes runs that are there: renaming, merging, deleting.

-- name: audit_newest_first
SELECT at, action, detail FROM audit ORDER BY id DESC LIMIT $1

-- name: delete_invocations_of_run
DELETE FROM invocation WHERE run_id = $1

-- name: delete_labels_of_run
DELETE FROM invocation_label
WHERE invocation_id IN (SELECT id FROM invocation WHERE run_id = $1)

-- name: delete_labels_of_run_name
DELETE FROM run_label WHERE accelerator_model = $1 AND name = $2

-- name: delete_lines_of_run
DELETE FROM line WHERE invocation_id IN (SELECT id FROM invocation WHERE run_id = $1)

-- name: delete_measurements_of_run
DELETE FROM measurement
WHERE line_id IN (SELECT l.id FROM invocation AS i JOIN line AS l ON l.invocation_id = i.id
                  WHERE i.run_id = $1)

-- name: delete_night_marks_of_both
DELETE FROM night_mark
WHERE accelerator_model = $1 AND name = $2
  AND kind IN (SELECT kind FROM night_mark WHERE accelerator_model = $1 AND name = $3)

-- name: delete_unused_experiments
DELETE FROM experiment WHERE id NOT IN (SELECT experiment_id FROM line)

-- name: delete_unused_texts
DELETE FROM text
WHERE id NOT IN (SELECT error_id FROM line WHERE error_id IS NOT NULL
                 UNION SELECT text_id FROM measurement WHERE text_id IS NOT NULL
                 UNION SELECT text_id FROM rejected_line
                 UNION SELECT text_id FROM artifact WHERE text_id IS NOT NULL
                 UNION SELECT report_id FROM artifact WHERE report_id IS NOT NULL
                 UNION SELECT stack_id FROM compilation WHERE stack_id IS NOT NULL
                 UNION SELECT text_id FROM compilation_output WHERE text_id IS NOT NULL
                 UNION SELECT text_id FROM hlo_module)

-- name: find_run_by_name
SELECT id FROM run WHERE accelerator_model = $1 AND name = $2

-- name: forget_files
UPDATE ingested_file SET complete = 0

-- name: invocations_of_run
SELECT id, timestamp, has_timing, has_verdict, coalesce(run_name, '')
FROM invocation WHERE run_id = $1 ORDER BY timestamp, id

-- name: pin_invocations_of_run
UPDATE invocation SET run_name = $2 WHERE run_id = $1

-- name: put_run_label
INSERT INTO run_label (accelerator_model, name, key, value) VALUES ($1, $2, $3, $4)
ON CONFLICT (accelerator_model, name, key) DO UPDATE SET value = excluded.value

-- name: recount_timed
UPDATE experiment
SET timed = CASE WHEN id IN (SELECT experiment_id FROM line WHERE timed = 1) THEN 1 ELSE 0 END

-- name: rename_night_marks
UPDATE night_mark SET name = $3 WHERE accelerator_model = $1 AND name = $2

-- name: rename_run
UPDATE run SET name = $2 WHERE id = $1

-- name: rename_run_labels
UPDATE run_label SET name = $3 WHERE accelerator_model = $1 AND name = $2
