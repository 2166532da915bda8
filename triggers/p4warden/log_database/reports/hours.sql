-- Commands of each hour, the newest first, and how many ran at once
WITH step AS (
    SELECT start AS at, 1 AS began, end IS NOT NULL AS more FROM command WHERE start IS NOT NULL
    UNION ALL SELECT end, 0, -1 FROM command WHERE start IS NOT NULL AND end IS NOT NULL),
running AS (SELECT at, began, sum(more) OVER (ORDER BY at, more DESC ROWS UNBOUNDED PRECEDING) AS now FROM step)
SELECT datetime(CAST(at / 3600 AS INTEGER) * 3600, 'unixepoch', 'localtime') AS hour,
    sum(began) AS started, nullif(max(now), 0) AS at_once
FROM running GROUP BY CAST(at / 3600 AS INTEGER) ORDER BY hour DESC LIMIT :limit
