SELECT 1
FROM artifact AS a
JOIN artifact_tie AS t ON t.artifact_id = a.id
JOIN artifact_tie AS other ON other.experiment = t.experiment AND other.timestamp = t.timestamp
  AND other.artifact_id > a.id
JOIN artifact AS b ON b.id = other.artifact_id AND b.name = a.name
WHERE a.id = $1
LIMIT 1
