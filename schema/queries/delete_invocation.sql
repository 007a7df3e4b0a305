DELETE FROM invocation WHERE id = $1
