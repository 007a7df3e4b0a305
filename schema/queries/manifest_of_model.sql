SELECT suite, model, test, backend FROM expected_result
WHERE accelerator_model = $1
ORDER BY suite, model, test, backend
