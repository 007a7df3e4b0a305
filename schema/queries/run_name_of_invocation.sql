SELECT r.name FROM invocation AS i JOIN run AS r ON r.id = i.run_id WHERE i.id = $1
