-- How many counters of a trace are not kept. Where fewer are kept than can be, all are; where an older program kept as
-- many as can be, their number is not known until the trace is indexed again.
ALTER TABLE trace_index ADD COLUMN counters_left_out INTEGER;
UPDATE trace_index SET counters_left_out = 0
WHERE (SELECT count(*) FROM trace_counter WHERE trace_counter.trace_id = trace_index.trace_id) < 10000;
