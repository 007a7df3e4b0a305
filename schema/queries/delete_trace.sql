DELETE FROM trace WHERE id = $1
