-- Accounts by number of commands, with shares; "so far" is the share of an account and all above it
SELECT row_number() OVER (ORDER BY n DESC, user) AS place, name.text AS user, n AS commands,
    round(100.0 * n / sum(n) OVER (), 1) AS percent,
    round(100.0 * sum(n) OVER (ORDER BY n DESC, user ROWS UNBOUNDED PRECEDING) / sum(n) OVER (), 1) AS so_far_percent,
    round(lapse_s, 1) AS lapse_s, round(100 * lapse_s / sum(lapse_s) OVER (), 1) AS lapse_percent,
    round(cpu_s, 1) AS cpu_s, round(100 * cpu_s / sum(cpu_s) OVER (), 1) AS cpu_percent
FROM (
    SELECT user, count(*) AS n, sum(lapse_s) AS lapse_s, sum(user_ms + system_ms) / 1e3 AS cpu_s
    FROM distinct_command AS command GROUP BY user) AS totals
LEFT JOIN name ON name.id = totals.user ORDER BY place LIMIT :limit
