-- Commands by hour, newest first, and how many ran at once
SELECT datetime(CAST(at / 3600 AS INTEGER) * 3600, 'unixepoch', 'localtime') AS hour,
    sum(began) AS started, nullif(max(commands), 0) AS at_once
FROM at_once GROUP BY CAST(at / 3600 AS INTEGER) ORDER BY hour DESC LIMIT :limit
