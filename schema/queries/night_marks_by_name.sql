SELECT accelerator_model, name, kind, reason, who, at
FROM night_mark
ORDER BY accelerator_model, name, kind
