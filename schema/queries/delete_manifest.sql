DELETE FROM expected_result WHERE accelerator_model = $1
