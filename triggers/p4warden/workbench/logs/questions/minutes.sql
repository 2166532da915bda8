-- The busiest minutes, and how many commands ran at once
SELECT datetime(CAST(at / 60 AS INTEGER) * 60, 'unixepoch', 'localtime') AS minute,
    sum(began) AS started, nullif(max(commands), 0) AS at_once
FROM at_once GROUP BY CAST(at / 60 AS INTEGER) ORDER BY started DESC LIMIT :limit
