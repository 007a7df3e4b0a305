SELECT l.key, l.value
FROM run AS r JOIN run_label AS l ON l.accelerator_model = r.accelerator_model AND l.name = r.name
WHERE r.id = $1
