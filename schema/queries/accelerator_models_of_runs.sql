SELECT accelerator_model FROM run GROUP BY accelerator_model
ORDER BY max(started_at) DESC, accelerator_model
