-- The log's time range and its longest gaps
WITH started AS (SELECT start FROM command WHERE start IS NOT NULL),
gap AS (SELECT start AS till, lag(start) OVER (ORDER BY start) AS since FROM started)
SELECT * FROM (
    SELECT 'log' AS what, datetime(min(start), 'unixepoch', 'localtime') AS since,
        datetime(max(start), 'unixepoch', 'localtime') AS till, round(max(start) - min(start)) AS seconds
    FROM started)
UNION ALL SELECT * FROM (
    SELECT 'gap', datetime(since, 'unixepoch', 'localtime'), datetime(till, 'unixepoch', 'localtime'),
        round(till - since)
    FROM gap WHERE till > since ORDER BY till - since DESC LIMIT :limit)
