DELETE FROM experiment WHERE id NOT IN (SELECT experiment_id FROM line)
