SELECT accelerator_model, count(*) FROM expected_result GROUP BY accelerator_model ORDER BY accelerator_model
