-- Commands that ran at once, by week: average, median, maximum and minimum over time
-- needs: lapses
WITH step AS (
    SELECT start AS at, 1 AS more FROM distinct_command WHERE start IS NOT NULL AND end IS NOT NULL
    UNION ALL SELECT end, -1 FROM distinct_command WHERE start IS NOT NULL AND end IS NOT NULL),
running AS (
    SELECT at, sum(more) OVER (ORDER BY at, more DESC ROWS UNBOUNDED PRECEDING) AS now,
        lead(at) OVER (ORDER BY at, more DESC) - at AS seconds
    FROM step),
-- A week is named by its Monday; a number that lasts over midnight counts for the week in which it began.
spent AS (
    SELECT date(at, 'unixepoch', 'localtime', 'weekday 0', '-6 days') AS week, now, sum(seconds) AS seconds
    FROM running WHERE seconds > 0 GROUP BY week, now),
part AS (
    SELECT week, now, seconds, sum(seconds) OVER (PARTITION BY week ORDER BY now) AS up_to,
        sum(seconds) OVER (PARTITION BY week) AS whole
    FROM spent)
SELECT week, round(sum(now * seconds) / max(whole), 1) AS average,
    min(CASE WHEN up_to * 2 >= whole THEN now END) AS median, max(now) AS maximum, min(now) AS minimum
FROM part GROUP BY week ORDER BY week DESC LIMIT :limit
