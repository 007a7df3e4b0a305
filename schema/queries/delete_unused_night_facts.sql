DELETE FROM night_facts WHERE run_id NOT IN (SELECT id FROM run)
