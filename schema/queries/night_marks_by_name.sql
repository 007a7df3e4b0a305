SELECT accelerator_model, name, kind, reason, who, at, token
FROM night_mark
ORDER BY accelerator_model, name, kind
