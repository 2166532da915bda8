-- Commands that ran at once: the time spent at each number
-- needs: lapses
WITH step AS (
    SELECT start AS at, 1 AS more FROM distinct_command WHERE start IS NOT NULL AND end IS NOT NULL
    UNION ALL SELECT end, -1 FROM distinct_command WHERE start IS NOT NULL AND end IS NOT NULL),
running AS (
    SELECT sum(more) OVER (ORDER BY at, more DESC ROWS UNBOUNDED PRECEDING) AS now,
        lead(at) OVER (ORDER BY at, more DESC) - at AS seconds
    FROM step),
spent AS (SELECT now, sum(seconds) AS seconds FROM running WHERE seconds > 0 GROUP BY now),
-- Numbers are grouped if there are more of them than rows in the report.
size AS (SELECT 1 + max(now) / :limit AS numbers, sum(seconds) AS seconds FROM spent)
SELECT now / numbers * numbers AS from_commands, now / numbers * numbers + numbers - 1 AS to_commands,
    round(sum(spent.seconds), 1) AS seconds, round(100 * sum(spent.seconds) / size.seconds, 1) AS percent
FROM spent, size GROUP BY now / numbers ORDER BY now DESC LIMIT :limit
