DELETE FROM access_token;
DELETE FROM audit;
DELETE FROM delivery;
