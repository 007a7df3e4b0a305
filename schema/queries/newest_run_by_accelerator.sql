-- Of each accelerator model when its newest run began.
SELECT accelerator_model, max(started_at) AS newest FROM run GROUP BY accelerator_model ORDER BY newest DESC, accelerator_model
