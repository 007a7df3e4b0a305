SELECT count(*) FROM invocation AS i JOIN line AS l ON l.invocation_id = i.id WHERE i.run_id = $1
