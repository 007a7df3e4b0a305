SELECT at, action, detail FROM audit ORDER BY id DESC LIMIT $1
