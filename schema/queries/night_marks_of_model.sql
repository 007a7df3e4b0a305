SELECT accelerator_model, name, kind, reason, who, at, token
FROM night_mark
WHERE accelerator_model = $1
ORDER BY name, kind
