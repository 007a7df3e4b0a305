INSERT INTO measurement (line_id, metric_id, shape, n, median, mean, min, max, samples, text_id)
SELECT $2, metric_id, shape, n, median, mean, min, max, samples, text_id
FROM measurement WHERE line_id = $1
