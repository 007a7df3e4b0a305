-- Dumps of before a time, by the newest result that they belong to; orphans by when they came.
WITH dated AS (
  SELECT a.id, a.kind, a.name, a.byte_count, a.trace_id,
         coalesce((SELECT max(t.timestamp) FROM artifact_tie AS t WHERE t.artifact_id = a.id), a.ingested_at) AS at
  FROM artifact AS a
  WHERE a.pruned_at IS NULL
)
SELECT d.id, d.kind, d.name, d.byte_count, d.at,
       (SELECT count(*) FROM trace AS x JOIN trace_note AS n ON n.content_hash = x.content_hash WHERE x.id = d.trace_id)
FROM dated AS d
WHERE d.at < $1
ORDER BY d.at, d.id
