-- The path of the store's file.
SELECT file
FROM pragma_database_list
WHERE name = 'main'
