-- Classes of accounts over time, by minute, hour or day (--by; --class builds=build-*)
WITH begun AS (
    SELECT CAST(start / :step_s AS INTEGER) AS step, class.name AS class, count(*) AS n, sum(lapse_s) AS lapse_s
    FROM distinct_command AS command LEFT JOIN class ON class.user = command.user
    WHERE start IS NOT NULL AND (:from_s IS NULL OR start >= :from_s) GROUP BY 1, 2),
shown AS (
    SELECT strftime(:label, step * :step_s, 'unixepoch', 'localtime') AS time, ifnull(class, 'all others') AS class,
        sum(n) AS started, round(sum(lapse_s), 1) AS lapse_s
    FROM begun GROUP BY 1, 2)
SELECT * FROM (
    SELECT time, class, started, round(100.0 * started / sum(started) OVER (PARTITION BY time), 1) AS percent, lapse_s
    FROM shown ORDER BY time DESC, started DESC LIMIT :limit)
ORDER BY time, started DESC
