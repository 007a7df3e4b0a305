-- What was timed while XLA's profiler ran (--profile-xla of the runner) is kept, and does not count as a time.
ALTER TABLE result ADD COLUMN profiled_line_id INTEGER;
CREATE INDEX artifact_of_xla_profiler ON artifact (id) WHERE name LIKE '%/xla-profile/%';

UPDATE result SET profiled_line_id = timing_line_id, timing_line_id = NULL
WHERE timing_line_id IN (
  SELECT l.id
  FROM artifact AS a
  JOIN artifact_tie AS t ON t.artifact_id = a.id
  JOIN experiment AS e ON e.hash = t.experiment
  JOIN invocation AS i ON i.accelerator_model = e.accelerator_model AND i.timestamp = t.timestamp
  JOIN line AS l ON l.invocation_id = i.id AND l.experiment_id = e.id
  JOIN artifact_file AS f ON f.artifact_id = a.id
  WHERE a.name LIKE '%/xla-profile/%' AND f.modified_ns >= i.timestamp * 1e9);
-- Its run counts as changed, and everything that was made of it is made anew.
UPDATE run SET revision = (SELECT CAST(value AS INTEGER) + 1 FROM setting WHERE key = 'revision')
WHERE id IN (SELECT run_id FROM result WHERE profiled_line_id IS NOT NULL);
UPDATE setting SET value = CAST(value AS INTEGER) + 1
WHERE key = 'revision' AND EXISTS (SELECT 1 FROM result WHERE profiled_line_id IS NOT NULL);

DROP INDEX result_series;
CREATE INDEX result_series ON result
  (experiment_id, started_at, run_id, timing_line_id, failure_line_id, verification_line_id,
   verified_at, code, timing_shared, verification_shared, profiled_line_id);
DROP VIEW result_facts;
CREATE VIEW result_facts AS
SELECT r.run_id, r.experiment_id, r.started_at, r.timing_line_id, r.timing_shared, l.repeat,
       l.iterations_per_run, l.per_iter_time, l.total_time, l.xla_compile_time, r.failure_line_id,
       f.error_id AS failure_error_id, f.code AS failure_code, r.verification_line_id,
       r.verified_at, r.code, r.verification_shared, v.error_id AS verification_error_id,
       r.profiled_line_id
FROM result AS r
LEFT JOIN line AS l ON l.id = r.timing_line_id
LEFT JOIN line AS f ON f.id = r.failure_line_id
LEFT JOIN line AS v ON v.id = r.verification_line_id;
