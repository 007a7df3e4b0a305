UPDATE line SET invocation_id = $2 WHERE id = $1
