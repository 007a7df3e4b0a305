UPDATE line SET invocation_id = $2 WHERE invocation_id = $1
