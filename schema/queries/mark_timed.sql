UPDATE experiment SET timed = 1 WHERE id = $1
