-- The busiest minutes, and how many commands ran at once
WITH step AS (
    SELECT start AS at, 1 AS more FROM command WHERE start IS NOT NULL AND end IS NOT NULL
    UNION ALL SELECT end, -1 FROM command WHERE start IS NOT NULL AND end IS NOT NULL),
running AS (SELECT at, more, sum(more) OVER (ORDER BY at, more DESC ROWS UNBOUNDED PRECEDING) AS now FROM step)
SELECT datetime(CAST(at / 60 AS INTEGER) * 60, 'unixepoch', 'localtime') AS minute,
    sum(more = 1) AS started, max(now) AS at_once
FROM running GROUP BY CAST(at / 60 AS INTEGER) ORDER BY started DESC LIMIT :limit
