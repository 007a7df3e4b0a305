DELETE FROM night_mark
WHERE accelerator_model = $1 AND name = $2
  AND kind IN (SELECT kind FROM night_mark WHERE accelerator_model = $1 AND name = $3)
