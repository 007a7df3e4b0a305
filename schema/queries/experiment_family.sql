SELECT family, batch_size FROM experiment WHERE id = $1
