-- The samples that every estimate is made of move into the line's row, and files of invocations are
-- counted instead of indexed line by line: a night is read with two look-ups a result
-- instead of five.
ALTER TABLE line ADD COLUMN per_iter_time BLOB;
ALTER TABLE line ADD COLUMN total_time BLOB;
ALTER TABLE line ADD COLUMN xla_compile_time BLOB;
UPDATE line SET
  per_iter_time = (SELECT samples FROM measurement WHERE line_id = line.id
    AND metric_id = (SELECT id FROM metric WHERE name = 'per_iter_time')),
  total_time = (SELECT samples FROM measurement WHERE line_id = line.id
    AND metric_id = (SELECT id FROM metric WHERE name = 'total_time')),
  xla_compile_time = (SELECT samples FROM measurement WHERE line_id = line.id
    AND metric_id = (SELECT id FROM metric WHERE name = 'xla_CompileTime_time_s'));
DELETE FROM measurement WHERE shape = 0 AND metric_id IN
  (SELECT id FROM metric WHERE name IN ('per_iter_time', 'total_time', 'xla_CompileTime_time_s'));

CREATE TABLE invocation_file (
  invocation_id INTEGER NOT NULL REFERENCES invocation (id),
  file_id       INTEGER NOT NULL REFERENCES ingested_file (id),
  line_count    INTEGER NOT NULL,
  PRIMARY KEY (invocation_id, file_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX invocation_file_by_file ON invocation_file (file_id);
INSERT INTO invocation_file SELECT invocation_id, file_id, count(*) FROM line GROUP BY 1, 2;
DROP INDEX line_by_file;

DROP INDEX result_series;
CREATE INDEX result_series ON result
  (experiment_id, started_at, run_id, timing_line_id, failure_line_id, verification_line_id,
   verified_at, code, timing_shared, verification_shared);

DROP VIEW result_facts;
CREATE VIEW result_facts AS
SELECT r.run_id, r.experiment_id, r.started_at, r.timing_line_id, r.timing_shared, l.repeat,
       l.iterations_per_run, l.per_iter_time, l.total_time, l.xla_compile_time, r.failure_line_id,
       f.error_id AS failure_error_id, f.code AS failure_code, r.verification_line_id,
       r.verified_at, r.code, r.verification_shared, v.error_id AS verification_error_id
FROM result AS r
LEFT JOIN line AS l ON l.id = r.timing_line_id
LEFT JOIN line AS f ON f.id = r.failure_line_id
LEFT JOIN line AS v ON v.id = r.verification_line_id;
