-- How many commands ran at once: the time spent at each number
WITH step AS (
    SELECT start AS at, 1 AS more FROM command WHERE start IS NOT NULL AND end IS NOT NULL
    UNION ALL SELECT end, -1 FROM command WHERE start IS NOT NULL AND end IS NOT NULL),
running AS (
    SELECT sum(more) OVER (ORDER BY at, more DESC ROWS UNBOUNDED PRECEDING) AS now,
        lead(at) OVER (ORDER BY at, more DESC) - at AS seconds
    FROM step)
SELECT now AS commands_at_once, round(sum(seconds), 1) AS seconds,
    round(100 * sum(seconds) / (SELECT sum(seconds) FROM running), 1) AS percent
FROM running WHERE seconds > 0 GROUP BY now ORDER BY now DESC LIMIT :limit
