SELECT CAST(value AS BIGINT) FROM setting WHERE key = 'revision'
