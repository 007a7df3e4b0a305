INSERT INTO measurement (line_id, metric_id, shape, n, median, mean, min, max, samples, text_id)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)
