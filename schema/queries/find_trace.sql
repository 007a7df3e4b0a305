SELECT id FROM trace WHERE content_hash = $1
